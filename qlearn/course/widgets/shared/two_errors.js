// Rounding against clipping: the two parts of an error, at one threshold and at many.

import { chooseQParams, clamp, fround, rint } from "./quantmath.js";

/** What torch's observers choose for −threshold … threshold, symmetric and signed. */
export const qparamsFor = (threshold, bits) =>
  chooseQParams(-threshold, threshold, { signed: true, bits, symmetric: true });

/** The mean squared error in two parts (qlearn.split_mse), and their sum. */
export function splitMse(values, { scale, quantMin, quantMax }) {
  const inv = fround(1 / scale);
  const squares = { rounding: 0, clipping: 0 };
  for (const value of values) {
    const wanted = rint(fround(value * inv)); // the zero point is 0
    const code = clamp(wanted, quantMin, quantMax);
    const error = value - fround(scale * code);
    squares[code === wanted ? "rounding" : "clipping"] += error * error;
  }
  const [rounding, clipping] = Object.values(squares).map((sum) => sum / values.length);
  return { rounding, clipping, sum: rounding + clipping };
}

/** The errors at each threshold, and those of the smallest sum. */
export function errorCurve(values, thresholds, bits) {
  const at = (threshold) => ({ threshold, ...splitMse(values, qparamsFor(threshold, bits)) });
  const points = thresholds.map(at);
  return { points, best: points.reduce((a, b) => (b.sum < a.sum ? b : a)) };
}
