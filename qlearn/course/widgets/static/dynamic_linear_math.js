// A dynamic linear layer stage by stage, as qlearn.linear_dynamic and dynamic_qparams compute it.

import { chooseQParams, clamp, fma, quantize, rint } from "./quantmath.js";

const SMALLEST_SCALE = 2 ** -128 * (1 + 2 ** -21); // whose reciprocal float32 can still hold
const SMALL_SCALE = Math.fround(6.1e-5); // below it the range is widened
const FALLBACK_SCALE = 0.1;

/** The end of the layer by engine: what becomes of a sum times the multiplier, plus the bias. */
const ENDS = {
  fbgemm: (total, multiplier, bias) => fma(Math.fround(total), multiplier, bias),
  qnnpack: (total, multiplier, bias) =>
    Math.fround(Math.fround(Math.fround(total) * multiplier) + bias),
};
export const ENGINES = Object.keys(ENDS);

/** Scale, in float64, and zero point that ATen chooses for float32 numbers in low … high. */
export function chooseDynamic(low, high, reduceRange) {
  const quantMax = reduceRange ? 127 : 255;
  let [from, to] = [Math.min(low, 0), Math.max(high, 0)];
  let scale = (to - from) / quantMax;
  if (Math.fround(scale) < SMALLEST_SCALE) scale = FALLBACK_SCALE;
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
  if (from === 0) return [0, Math.fround(SMALL_SCALE * steps)];
  if (to === 0) return [-Math.fround(SMALL_SCALE * steps), 0];
  const growth = Math.fround(SMALL_SCALE / Math.fround(scale));
  return [Math.fround(from * growth), Math.fround(to * growth)];
}

/** Every stage of the layer: x and weight are lists of rows, bias one number for each output. */
export function dynamicLinear(x, weight, bias, { engine, reduceRange }) {
  const input = quantizedInput(x, reduceRange && engine !== "qnnpack");
  const rows = quantizedWeight(weight);
  const multiplier = Math.fround(input.scale * rows.scale);
  const outputs = input.codes.map((codes) =>
    rows.codes.map((weights, j) => {
      const product = dot(codes, weights);
      const offset = input.zeroPoint * rows.sums[j];
      const total = product - offset;
      return { product, offset, total, y: ENDS[engine](total, multiplier, Math.fround(bias[j])) };
    }),
  );
  const exact = x.map((row) => weight.map((w, j) => dot(float32(row), float32(w)) + Math.fround(bias[j])));
  return { input, weight: rows, multiplier, outputs, exact };
}

function quantizedInput(x, reduced) {
  const [low, high] = ends(x);
  const { scale, zeroPoint } = chooseDynamic(low, high, reduced);
  const qparams = { scale: Math.fround(scale), zeroPoint, quantMin: 0, quantMax: 255 };
  const codes = x.map((row) => [...quantize(float32(row), qparams, "fma").codes]);
  return { low, high, reduced, ...qparams, codes };
}

function quantizedWeight(weight) {
  const qparams = chooseQParams(...ends(weight), { signed: true, bits: 8, symmetric: true });
  const codes = weight.map((row) => [...quantize(float32(row), qparams, "fma").codes]);
  const sums = codes.map((row) => row.reduce((sum, code) => sum + code, 0));
  return { ...qparams, codes, sums };
}

function ends(rows) {
  const numbers = rows.flatMap((row) => [...float32(row)]);
  return [Math.min(...numbers), Math.max(...numbers)];
}

const float32 = (row) => new Float32Array(row);
const dot = (a, b) => a.reduce((sum, value, k) => sum + value * b[k], 0);
