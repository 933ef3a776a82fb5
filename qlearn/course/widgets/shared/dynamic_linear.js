// A dynamic linear layer stage by stage, as qlearn.linear_dynamic computes it.

import { dynamicQParams } from "./dynamic_range.js";
import { chooseQParams, dot, extremes, fma, fround, quantize } from "./quantmath.js";

const WEIGHT_RULE = { signed: true, bits: 8, symmetric: true };

/** The end of the layer by engine: what becomes of a sum, the multiplier and the bias. */
const ENDS = {
  fbgemm: (total, multiplier, bias) => fma(fround(total), multiplier, bias),
  qnnpack: (total, multiplier, bias) => fround(fround(fround(total) * multiplier) + bias),
};

/** Qparams and codes of x and of the weight, and how each output comes of them. */
export function dynamicLinear({ x, weight, bias, engine, reduce_range: reduceRange }) {
  const [numbers, factors, [offsets]] = [x, weight, [bias]].map(float32);
  const reduced = reduceRange && engine !== "qnnpack"; // which ignores it
  const xQParams = dynamicQParams(numbers.flat(), reduced);
  const wQParams = chooseQParams(...extremes(factors.flat()), WEIGHT_RULE);
  const [xCodes, wCodes] = [codesOf(numbers, xQParams), codesOf(factors, wQParams)];
  const sums = wCodes.map((codes) => codes.reduce((sum, code) => sum + code));
  const multiplier = fround(xQParams.scale * wQParams.scale);
  const finished = (i, j) => {
    const [product, offset] = [dot(xCodes[i], wCodes[j]), xQParams.zeroPoint * sums[j]];
    const total = product - offset;
    const exact = dot(numbers[i], factors[j]) + offsets[j];
    return { product, offset, total, y: ENDS[engine](total, multiplier, offsets[j]), exact };
  };
  const outputs = x.map((_, i) => weight.map((_, j) => finished(i, j)));
  return { xQParams, wQParams, xCodes, wCodes, sums, reduced, multiplier, outputs };
}

const float32 = (rows) => rows.map((row) => row.map(fround));
const codesOf = (rows, qparams) => rows.map((row) => [...quantize(row, qparams, "fma").codes]);
