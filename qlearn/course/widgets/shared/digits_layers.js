// The digits network, layer by layer, in real numbers and in codes: qlearn.course.digits.layers.
// The codes equal qlearn's; the real numbers are float64 here and float32 there.

import { chooseQParams, dequantize, errors, products, quantize, rowsOf } from "./quantmath.js";
import { layerCodes, maxPooled, weightCodes, windows } from "./static_layers.js";
import { float32Values, latest, once } from "./values.js";

export const STAGES = ["input", "conv1", "conv2", "pool", "fc"];
const SIDE = 8; // of an image, and of each channel of a convolution
export const REDUCED_BITS = 7; // of activations: stands for eight bits and reduce_range
const CONVOLUTION = { outputs: 16, inputs: (x) => windows(x, SIDE), relu: true };
const WEIGHTED = {
  conv1: { ...CONVOLUTION, length: 9 },
  conv2: { ...CONVOLUTION, length: 16 * 9 },
  fc: { outputs: 10, inputs: (x) => [x], relu: false, length: 16 * 16 },
};

/** Each layer with its weights, a row for each output, and biases, which follow one another. */
export const network = once((stored) => {
  const numbers = float32Values(stored);
  let at = 0;
  const take = (count) => {
    at += count;
    return numbers.subarray(at - count, at);
  };
  const layers = Object.entries(WEIGHTED).map(([name, { outputs, length, ...layer }]) => {
    // In float64, as windows are: a browser multiplies numbers of one kind faster.
    const rows = rowsOf(Float64Array.from(take(outputs * length)), length);
    return [name, { ...layer, rows, bias: take(outputs) }];
  });
  return Object.fromEntries(layers);
});

/**
 * Every stage of one image: its real numbers, codes, what they mean, the errors, two ratios; and
 * of a layer with weights all that the codes were computed with.
 */
export function bothWays(net, pixels, { ranges, activation_bits, weight_bits }) {
  const inNumbers = allInReal(net, pixels);
  const stages = [];
  for (const name of STAGES) {
    const settings = [ranges[name], activation_bits[name], weight_bits[name]];
    const before = stages.at(-1) ?? asRead(pixels);
    stages.push(KEPT[name](net[name], before, inNumbers[name], ...settings));
  }
  return stages;
}

const asRead = once((pixels) => ({ exact: pixels, restored: pixels }));

function stage(name, layer, before, exact, ...settings) {
  const { codes, qparams, ...made } = inCodes(name, layer, before, ...settings);
  const restored = dequantize(codes, qparams);
  // What the layer would make of the input that its integers had
  const alone = inReal(name, layer, before.restored);
  const [sqnr, ownSqnr] = [exact, alone].map((right) => errors(right, restored).sqnr);
  const error = exact.map((number, i) => restored[i] - number);
  return { name, exact, codes, qparams, restored, error, sqnr, ownSqnr, ...made };
}

/** Each stage, computed anew only where the one before or its own settings have changed. */
const KEPT = Object.fromEntries(
  STAGES.map((name) => [name, latest((...given) => stage(name, ...given))]),
);

/** Every stage in real numbers, which no setting changes. */
const allInReal = latest((net, pixels) => {
  const stages = {};
  let x = pixels;
  for (const name of STAGES) {
    x = inReal(name, net[name], x);
    stages[name] = x;
  }
  return stages;
});

function inReal(name, layer, x) {
  if (name === "input") return x;
  if (name === "pool") return maxPooled(x, SIDE);
  const sums = products(layer.rows, layer.inputs(x));
  const numbers = sums.flatMap((row, n) => row.map((sum) => sum + layer.bias[n]));
  return Float64Array.from(numbers, (number) => (layer.relu ? Math.max(number, 0) : number));
}

/** The codes of one stage, made of those of the one before, and their qparams. */
function inCodes(name, layer, before, range, bits, weightBits) {
  if (name === "pool") return { codes: maxPooled(before.codes, SIDE), qparams: before.qparams };
  const chosen = chooseQParams(...range, { signed: false, bits, symmetric: false });
  // As in a kernel, nothing but the byte bounds the codes of a reduced range.
  const qparams = { ...chosen, quantMax: bits < REDUCED_BITS ? chosen.quantMax : 255 };
  if (name === "input") return { codes: quantize(before.exact, qparams).codes, qparams };
  const { scale, zeroPoint } = before.qparams;
  const inputs = layer.inputs(before.codes.map((code) => code - zeroPoint));
  const weights = weightCodes(layer.rows, weightBits);
  const sums = products(inFloat64(weights), inputs);
  return {
    qparams,
    weights,
    sums,
    ...layerCodes(layer, { sums, weights, scale, output: qparams }),
  };
}

const inFloat64 = once((weights) => weights.map(({ codes }) => Float64Array.from(codes)));

/** The place of the largest number; of the first one among equals. */
export const largestAt = (numbers) => numbers.indexOf(Math.max(...numbers));
