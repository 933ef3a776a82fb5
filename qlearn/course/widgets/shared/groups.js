// What the numbers of a group share: the scale of symmetric codes, or scale and zero point.

import { clamp, fround, quantRange, rint } from "./quantmath.js";

const SMALLEST = 2 ** -126; // the smallest normal number, so that 1 / scale is finite

/** The scale of codes that are so many steps from end to end, over so wide a range. */
const scaleOf = (width, steps) => Math.max(fround(width / steps), SMALLEST);

/** Return the qparams of numbers of at most this size, as quantize_groups has them. */
export function groupQParams(largest, bits) {
  const { quantMin, quantMax } = quantRange(true, bits);
  return { scale: scaleOf(largest, (quantMax - quantMin) / 2), zeroPoint: 0, quantMin, quantMax };
}

/** Return the qparams of numbers from low to high, between which 0 lies. */
export function affineQParams([low, high], bits) {
  const { quantMin, quantMax } = quantRange(true, bits);
  const scale = scaleOf(fround(high - low), quantMax - quantMin);
  const zeroPoint = clamp(quantMin - rint(fround(low / scale)), quantMin, quantMax);
  return { scale, zeroPoint, quantMin, quantMax };
}
