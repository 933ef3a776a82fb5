// The scale and the zero point that ATen chooses for a dynamic layer's input (qlearn.dynamic_qparams).

import { clamp, extremes, fround, rint } from "./quantmath.js";

const SMALLEST_SCALE = 2 ** -128 * (1 + 2 ** -21); // whose reciprocal float32 can still hold
const SMALL_SCALE = fround(6.1e-5); // below it the range is widened
const FALLBACK_SCALE = 0.1;

/** The qparams of a dynamic layer's input; its codes are clamped to all of uint8 nonetheless. */
export function dynamicQParams(values, reduceRange) {
  const { scale, zeroPoint } = chooseDynamic(...extremes(values), reduceRange);
  return { scale: fround(scale), zeroPoint, quantMin: 0, quantMax: 255 };
}

/** Scale, in float64, and zero point for float32 numbers in low … high. */
export function chooseDynamic(low, high, reduceRange) {
  const quantMax = reduceRange ? 127 : 255;
  let [from, to] = [Math.min(low, 0), Math.max(high, 0)];
  let scale = (to - from) / quantMax;
  if (fround(scale) < SMALLEST_SCALE) scale = FALLBACK_SCALE;
  if (scale < SMALL_SCALE) {
    [from, to] = widened(from, to, scale, quantMax);
    scale = SMALL_SCALE;
  }
  const [below, above] = [from / scale, to / scale];
  const fromLow = -Math.abs(below) < quantMax - Math.abs(above);
  const zeroPoint = clamp(rint(fromLow ? -below : quantMax - above), 0, quantMax);
  return { scale, zeroPoint };
}

/** The range that the small scale covers, in the proportions of the old one. */
function widened(from, to, scale, steps) {
  if (from === 0) return [0, fround(SMALL_SCALE * steps)];
  if (to === 0) return [-fround(SMALL_SCALE * steps), 0];
  const growth = fround(SMALL_SCALE / fround(scale));
  return [fround(from * growth), fround(to * growth)];
}
