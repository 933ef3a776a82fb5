// One scale for a matrix, or one for each row of it: the codes of torch's old dynamic layer and of
// torchao's new one, and what they make of each row.

import { chooseDynamic } from "./dynamic_linear_math.js";
import { chooseQParams, dequantize, errors, extremes, quantize, rowsOf } from "./quantmath.js";

/** The matrix with one of its rows 2^octaves as large; values is row after row. */
export function enlarged(values, width, token, octaves) {
  const factor = 2 ** octaves;
  return values.map((value, i) => (Math.floor(i / width) === token ? value * factor : value));
}

/** As quantize_dynamic does it: one scale and zero point, uint8 (qlearn.dynamic_qparams). */
export function perTensor(values, width, reduceRange) {
  const { scale, zeroPoint } = chooseDynamic(...extremes(values), reduceRange);
  const qparams = { scale: Math.fround(scale), zeroPoint, quantMin: 0, quantMax: 255 };
  const restored = dequantize(quantize(values, qparams, "fma").codes, qparams);
  return { scales: [qparams.scale], zeroPoints: [zeroPoint], ...measured(values, restored, width) };
}

/** As torchao does it: int8, qparams for each row (qlearn.integers.per_token.token_qparams). */
export function perToken(values, width, mapping) {
  const rule = { signed: true, bits: 8, symmetric: mapping === "symmetric" };
  const restored = new Float32Array(values.length);
  const [scales, zeroPoints] = [[], []];
  rowsOf(values, width).forEach((row, i) => {
    const qparams = chooseQParams(...extremes(row), rule);
    restored.set(dequantize(quantize(row, qparams).codes, qparams), i * width);
    scales.push(qparams.scale);
    zeroPoints.push(qparams.zeroPoint);
  });
  return { scales, zeroPoints, ...measured(values, restored, width) };
}

/** The SQNR in dB of the whole and of each row; Infinity where there is no error. */
function measured(values, restored, width) {
  const found = rowsOf(restored, width);
  const rows = rowsOf(values, width).map((row, i) => errors(row, found[i]).sqnr);
  return { whole: errors(values, restored).sqnr, rows };
}
