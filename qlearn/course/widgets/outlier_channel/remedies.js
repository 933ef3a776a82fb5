// A layer with a loud channel in int8, as it is and after each of three remedies.

import { columnsOf, rotated, smoothScales, vectorwise } from "../shared/loud_channels.js";
import { errors, fround, largestSize, products } from "../shared/quantmath.js";

/** The layer with one channel of the inputs multiplied, and its weights divided by as much. */
export const enlarged = ([x, weight], channel, factor) => [
  x.map((row) => row.with(channel, fround(row[channel] * factor))),
  weight.map((row) => row.with(channel, fround(row[channel] / factor))),
];

const each = (rows, change) => rows.map((row, i) => row.map((value, k) => change(value, k, i)));

/** Inputs and weights as a remedy has them rounded. */
function remedied([x, weight], { remedy, alpha }) {
  if (remedy === "hadamard") return [x, weight].map(rotated);
  if (remedy !== "smooth") return [x, weight];
  const scales = smoothScales(x, weight, alpha);
  return [each(x, (v, k) => fround(v / scales[k])), each(weight, (v, k) => fround(v * scales[k]))];
}

/** What is rounded, its codes, which columns stay float, and the SQNR of the outputs in dB. */
export function outcome(layer, { channel, factor, scales, threshold, ...choice }) {
  const [x, weight] = remedied(enlarged(layer, channel, factor), choice);
  const isOutlier = (value) => choice.remedy === "llm_int8" && Math.abs(value) >= fround(threshold);
  const float = columnsOf(x).map((column) => column.some(isOutlier));
  const kept = each(x, (value) => (isOutlier(value) ? 0 : value));
  const largest = scales === "tensor" ? largestSize(kept.flat()) : undefined; // else that of each row
  const coded = [kept.map((row) => vectorwise(row, largest)), weight.map((row) => vectorwise(row))];
  const [inputs, weights] = [x, weight].map((rows, part) =>
    each(rows, (value, k, i) => (float[k] ? value : coded[part][i].meant[k])),
  );
  const { sqnr } = errors(products(...layer).flat(), products(inputs, weights).flat());
  const inInt8 = (rows) => each(rows, (value, k) => (float[k] ? 0 : value));
  const codes = coded.map((rows) => inInt8(rows.map((row) => row.codes)));
  return { rounded: [x, weight].map(inInt8), codes, float, sqnr };
}
