// The layers of one image that compute with codes, as qlearn.conv2d_static and linear_static do.
// The numbers of an image follow one another: channel, row, column. A convolution of 3 × 3 is the
// linear layer's arithmetic on windows, so each layer takes a list of inputs.

import { chooseQParams, clamp, extremes, quantize, rowsOf } from "./quantmath.js";
import { RULES, requantizer } from "./requantization.js";
import { memoized, once } from "./values.js";

const pairs = (list) => list.flatMap((first) => list.map((second) => [first, second]));
const STEPS = pairs([-1, 0, 1]); // down and to the right

/** For each place of square channels the 3 × 3 numbers around it, in each; 0 beyond the edge. */
export function windows(x, side) {
  const channels = rowsOf(x, side ** 2);
  return around(side).map((places) => {
    const window = new Float64Array(channels.length * places.length);
    channels.forEach((channel, c) => {
      places.forEach((at, i) => {
        window[c * places.length + i] = channel[at] ?? 0;
      });
    });
    return window;
  });
}

/** For each place of a square the places around it; -1 beyond the edge. */
const around = memoized((side) => {
  const isInside = (at) => at >= 0 && at < side;
  const index = (row, column) => (isInside(row) && isInside(column) ? row * side + column : -1);
  return pairs([...Array(side).keys()]).map(([row, column]) =>
    STEPS.map(([down, right]) => index(row + down, column + right)),
  );
});

/** The largest of each 2 × 2 numbers or codes of square channels whose side is even. */
export const maxPooled = (x, side) =>
  x.slice(0, x.length / 4).map((_, i) => {
    const [rows, column] = [Math.floor(i / (side / 2)), i % (side / 2)];
    const at = 2 * rows * side + 2 * column;
    return Math.max(x[at], x[at + 1], x[at + side], x[at + side + 1]);
  });

/** Each row of weights in symmetric codes of so many bits, as fbgemm rounds them, and its scale. */
export const weightCodes = (rows, bits) => codesOf(rows)(bits);
const codesOf = once((rows) => memoized((bits) => rows.map((row) => inBits(row, bits))));

function inBits(row, bits) {
  const qparams = chooseQParams(...extremes(row), { signed: true, bits, symmetric: true });
  return { codes: quantize(row, qparams, "add").codes, scale: qparams.scale };
}

/**
 * The codes that a layer makes of its sums, one row for each of the `weights`: 1 in a product is
 * `scale` times the scale of those. The roundings are fbgemm's. `last` has for each row what
 * it was requantized with.
 */
export function layerCodes({ bias, relu }, { sums, weights, scale, output }) {
  const least = relu ? output.zeroPoint : output.quantMin;
  const given = { xScale: scale, output, perOutput: true };
  const last = weights.map((row, n) =>
    requantizer({ ...given, weightScale: row.scale, bias: bias[n] }),
  );
  const codes = sums.map((row, n) =>
    row.map((sum) => clamp(RULES.fbgemm(sum, last[n]).code, least, output.quantMax)),
  );
  return { codes: Int32Array.from(codes.flat()), last };
}
