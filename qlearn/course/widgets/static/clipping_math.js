// Rounding against clipping: the two parts of an error, over all thresholds of a slider.

import { chooseQParams, clamp, rint } from "./quantmath.js";

/** What the slider's positions are parts of: 100 is the largest number itself, 125 beyond it. */
export const WHOLE = 100;
export const POSITIONS = Array.from({ length: 123 }, (_, i) => i + 3); // 3 … 125

/** The threshold of a slider's position, which need not be whole. */
export const thresholdAt = (position, largest) => (position / WHOLE) * largest;

/** What torch's observers choose for −threshold … threshold, symmetric and signed. */
export function thresholdQParams(threshold, bits) {
  return chooseQParams(-threshold, threshold, { signed: true, bits, symmetric: true });
}

/** Return the mean squared error in two parts (qlearn.split_mse), and the share of the clipped. */
export function splitMse(values, { scale, zeroPoint, quantMin, quantMax }) {
  const step = Math.fround(scale);
  const inv = Math.fround(1 / step);
  const squares = { rounding: 0, clipping: 0 };
  let clipped = 0;
  for (let i = 0; i < values.length; i++) {
    const wanted = rint(Math.fround(values[i] * inv)) + zeroPoint;
    const code = clamp(wanted, quantMin, quantMax);
    const error = values[i] - Math.fround(step * (code - zeroPoint));
    if (code === wanted) squares.rounding += error * error;
    else {
      squares.clipping += error * error;
      clipped++;
    }
  }
  const n = values.length;
  const [rounding, clipping] = [squares.rounding / n, squares.clipping / n];
  return { rounding, clipping, sum: rounding + clipping, clippedShare: clipped / n };
}

/** Return the two parts at every position of the slider, and which of them has the least sum. */
export function errorCurve(values, largest, bits) {
  const points = POSITIONS.map((position) => {
    const threshold = thresholdAt(position, largest);
    return { threshold, ...splitMse(values, thresholdQParams(threshold, bits)) };
  });
  const best = points.reduce((a, b) => (b.sum < a.sum ? b : a));
  return { points, best };
}

/** Cut consecutive tensors of these lengths apart. */
export function splitTensors(values, lengths) {
  let start = 0;
  return lengths.map((length) => values.subarray(start, (start += length)));
}
