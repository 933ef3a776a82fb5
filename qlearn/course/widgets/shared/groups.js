// What the numbers of a group share: the scale of symmetric codes.

import { fround, quantRange } from "./quantmath.js";

const SMALLEST = 2 ** -126; // the smallest normal number, so that 1 / scale is finite

/** Return the qparams of numbers of at most this size, as quantize_groups has them. */
export function groupQParams(largest, bits) {
  const { quantMin, quantMax } = quantRange(true, bits);
  const scale = Math.max(fround(largest / ((quantMax - quantMin) / 2)), SMALLEST);
  return { scale, zeroPoint: 0, quantMin, quantMax };
}
