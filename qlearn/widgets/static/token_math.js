// One scale for a matrix, or one for each row of it: the codes of torch's old dynamic layer and of
// torchao's new one, and what they make of each row.

import { chooseDynamic } from "./dynamic_linear_math.js";
import { chooseQParams, dequantize, errors, quantize } from "./quantmath.js";

/** The matrix with one of its rows 2^octaves as large; values is row after row. */
export function enlarged(values, width, token, octaves) {
  const factor = 2 ** octaves;
  return values.map((value, i) => (Math.floor(i / width) === token ? value * factor : value));
}

/** As quantize_dynamic does it: one scale and zero point, uint8 (qlearn.dynamic_qparams). */
export function perTensor(values, width, reduceRange) {
  const { scale, zeroPoint } = chooseDynamic(...spread(values), reduceRange);
  const qparams = { scale: Math.fround(scale), zeroPoint, quantMin: 0, quantMax: 255 };
  const restored = dequantize(quantize(values, qparams, "fma").codes, qparams);
  return { scales: [qparams.scale], zeroPoints: [zeroPoint], ...measured(values, restored, width) };
}

/** As torchao does it: int8, qparams for each row (qlearn.per_token.token_qparams). */
export function perToken(values, width, mapping) {
  const restored = new Float32Array(values.length);
  const [scales, zeroPoints] = [[], []];
  for (let from = 0; from < values.length; from += width) {
    const row = values.subarray(from, from + width);
    const rule = { signed: true, bits: 8, symmetric: mapping === "symmetric" };
    const qparams = chooseQParams(...spread(row), rule);
    restored.set(dequantize(quantize(row, qparams).codes, qparams), from);
    scales.push(qparams.scale);
    zeroPoints.push(qparams.zeroPoint);
  }
  return { scales, zeroPoints, ...measured(values, restored, width) };
}

/** The SQNR in dB of the whole and of each row; Infinity where there is no error. */
function measured(values, restored, width) {
  const rows = [];
  for (let from = 0; from < values.length; from += width) {
    const part = [values, restored].map((all) => all.subarray(from, from + width));
    rows.push(errors(...part).sqnr);
  }
  return { whole: errors(values, restored).sqnr, rows };
}

function spread(values) {
  let [low, high] = [Infinity, -Infinity];
  for (const value of values) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return [low, high];
}
