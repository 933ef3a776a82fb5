// The layers of one image that compute with codes, as qlearn.conv2d_static and linear_static do.
// The numbers of an image follow one another: channel, row, column. A convolution of 3 × 3 is the
// linear layer's arithmetic on windows, so each layer takes a list of inputs.

import {
  chooseQParams,
  clamp,
  extremes,
  fround,
  quantize,
  rint,
  rowsOf,
} from "../shared/quantmath.js";

const SIDE = 8; // of a channel
const HALF = SIDE / 2; // of one that is pooled

const pairs = (list) => list.flatMap((first) => list.map((second) => [first, second]));
const PLACES = pairs([...Array(SIDE).keys()]); // a row and a column
const STEPS = pairs([-1, 0, 1]); // down and to the right

/** For each place the 3 × 3 numbers around it, in each channel; 0 beyond the edge. */
export function windows(x) {
  const channels = rowsOf(x, SIDE ** 2);
  const isInside = (at) => at >= 0 && at < SIDE;
  const index = (row, column) => (isInside(row) && isInside(column) ? row * SIDE + column : -1);
  return PLACES.map(([row, column]) => {
    const around = STEPS.map(([down, right]) => index(row + down, column + right));
    return channels.flatMap((channel) => around.map((at) => channel[at] ?? 0));
  });
}

/** The largest of each 2 × 2 numbers or codes. */
export const maxPooled = (x) =>
  x.slice(0, x.length / 4).map((_, i) => {
    const [rows, column] = [Math.floor(i / HALF), i % HALF];
    const at = 2 * rows * SIDE + 2 * column;
    return Math.max(x[at], x[at + 1], x[at + SIDE], x[at + SIDE + 1]);
  });

/** For each row of weights, its sums of products with the inputs. */
export const products = (rows, inputs) => rows.map((row) => inputs.map((input) => dot(row, input)));

function dot(a, b) {
  let sum = 0;
  for (let k = 0; k < a.length; k++) sum += a[k] * b[k];
  return sum;
}

/**
 * The codes that a layer makes of inputs, which are codes less their zero point, in steps of
 * `scale`. Each row of weights gets symmetric codes of so many bits; fbgemm's roundings follow.
 */
export function layerCodes({ rows, bias, relu }, { inputs, scale, bits, output }) {
  const symmetric = { signed: true, bits, symmetric: true };
  const qparams = rows.map((row) => chooseQParams(...extremes(row), symmetric));
  const weights = rows.map((row, n) => quantize(row, qparams[n], "add").codes);
  const least = relu ? output.zeroPoint : output.quantMin;
  const codes = products(weights, inputs).map((sums, n) => {
    const step = fround(scale * qparams[n].scale);
    const [multiplier, added] = [fround(step / output.scale), fround(bias[n] / step)];
    return sums.map((sum) => {
      const whole = rint(fround(fround(fround(sum) + added) * multiplier));
      // What int32 cannot hold becomes the smallest one, as the processor converts it.
      const int32 = Math.abs(whole) < 2 ** 31 ? whole : -(2 ** 31);
      return clamp(int32 + output.zeroPoint, least, output.quantMax);
    });
  });
  return Int32Array.from(codes.flat());
}
