// The digits network, layer by layer, in real numbers and in codes: qlearn.course.digits.layers.
// The codes equal qlearn's; the real numbers are float64 here and float32 there.

import { chooseQParams, clamp, dequantize, errors, quantize, rint } from "./quantmath.js";

export const STAGES = ["input", "conv1", "conv2", "pool", "fc"];
export const OBSERVED = ["input", "conv1", "conv2", "fc"]; // pool keeps the qparams of conv2
export const WEIGHTED = ["conv1", "conv2", "fc"];
export const REDUCED_BITS = 7; // what reduce_range leaves of eight
const SHAPES = { conv1: [16, 1 * 9], conv2: [16, 16 * 9], fc: [10, 16 * 16] }; // outputs, products
const PLANE = 64; // 8 × 8
const PADDED = 10;

/** Weight and bias of each layer, out of one list of all their numbers. */
export function layersFrom(numbers) {
  let at = 0;
  const take = (count) => numbers.subarray(at, (at += count));
  return Object.fromEntries(
    Object.entries(SHAPES).map(([name, [outputs, products]]) => {
      const weight = take(outputs * products);
      return [name, { outputs, products, weight, bias: take(outputs) }];
    }),
  );
}

/** The output of each stage in real numbers, the pixels themselves first. */
export function realOutputs(layers, pixels) {
  const outputs = [pixels];
  for (const name of STAGES.slice(1)) outputs.push(realLayer(name, layers[name], outputs.at(-1)));
  return outputs;
}

/** Every stage of one image, whose real outputs are given: its codes, and two ratios. */
export function runNetwork(layers, outputs, ranges, { activationBits, weightBits }) {
  const stages = [];
  let before; // the stage whose output is read
  for (const [i, name] of STAGES.entries()) {
    const exact = outputs[i];
    const stage = integerStage(name, layers[name], before, exact, ranges, activationBits, weightBits);
    // What the layer would make of the input that its integers had
    const alone = before ? realLayer(name, layers[name], before.restored) : exact;
    before = {
      name,
      exact,
      ...stage,
      sqnr: errors(exact, stage.restored).sqnr,
      ownSqnr: errors(alone, stage.restored).sqnr,
    };
    stages.push(before);
  }
  return stages;
}

/** One layer in real numbers; ReLU belongs to the convolutions. */
function realLayer(name, layer, x) {
  if (name === "pool") return pooled(x);
  const sums = layerSums(name, x, layer.weight, layer);
  for (let i = 0; i < sums.length; i++) {
    sums[i] += layer.bias[channelOf(name, i)];
    if (name !== "fc" && sums[i] < 0) sums[i] = 0;
  }
  return sums;
}

/** Codes of one stage, made of the codes of the one before, and what they stand for. */
function integerStage(name, layer, before, pixels, ranges, activationBits, weightBits) {
  if (name === "pool") {
    const codes = pooled(before.codes);
    return { codes, qparams: before.qparams, restored: dequantize(codes, before.qparams) };
  }
  const bits = activationBits[OBSERVED.indexOf(name)];
  const [low, high] = ranges[OBSERVED.indexOf(name)];
  const { scale, zeroPoint } = chooseQParams(low, high, { signed: false, bits, symmetric: false });
  // As in a kernel, nothing but the byte bounds the codes of a reduced range.
  const qparams = { scale, zeroPoint, quantMin: 0, quantMax: bits >= REDUCED_BITS ? 255 : 2 ** bits - 1 };
  const codes =
    name === "input"
      ? quantize(pixels, qparams).codes
      : layerCodes(name, layer, before, qparams, weightBits[WEIGHTED.indexOf(name)]);
  return { codes, qparams, restored: dequantize(codes, qparams) };
}

/** The codes of a layer with one scale for each output's weights, by fbgemm's roundings. */
function layerCodes(name, layer, before, output, bits) {
  const { codes: weights, scales } = weightCodes(layer, bits);
  const centred = before.codes.map((code) => code - before.qparams.zeroPoint);
  const totals = layerSums(name, centred, weights, layer);
  const steps = scales.map((scale) => Math.fround(before.qparams.scale * scale));
  const multipliers = steps.map((step) => Math.fround(step / output.scale));
  const biases = steps.map((step, n) => Math.fround(layer.bias[n] / step));
  const least = name === "fc" ? 0 : output.zeroPoint; // where a ReLU is fused
  const codes = new Int32Array(totals.length);
  for (let i = 0; i < totals.length; i++) {
    const n = channelOf(name, i);
    const sum = Math.fround(Math.fround(totals[i]) + biases[n]);
    const whole = rint(Math.fround(sum * multipliers[n]));
    // What int32 cannot hold becomes the smallest one, as the processor converts it.
    const int32 = Math.abs(whole) < 2 ** 31 ? whole : -(2 ** 31);
    codes[i] = clamp(int32 + output.zeroPoint, least, output.quantMax);
  }
  return codes;
}

/** Symmetric codes of a weight, with the scale of each output. */
function weightCodes({ outputs, products, weight }, bits) {
  const codes = new Int32Array(weight.length);
  const scales = [];
  for (let n = 0; n < outputs; n++) {
    const row = weight.subarray(n * products, (n + 1) * products);
    const ends = [Math.min(...row), Math.max(...row)];
    const qparams = chooseQParams(...ends, { signed: true, bits, symmetric: true });
    codes.set(quantize(row, qparams).codes, n * products);
    scales.push(qparams.scale);
  }
  return { codes, scales };
}

/** Sums of products, one for each output: of a convolution with padding 1, or of all of x. */
function layerSums(name, x, weight, { outputs, products }) {
  if (name === "fc") {
    const sums = new Float64Array(outputs);
    for (let n = 0; n < outputs; n++) {
      let sum = 0;
      for (let k = 0; k < products; k++) sum += x[k] * weight[n * products + k];
      sums[n] = sum;
    }
    return sums;
  }
  const sums = new Float64Array(outputs * PLANE);
  const framed = framedBy0(x);
  for (let n = 0; n < outputs; n++) {
    for (let k = 0; k < products; k++) {
      const factor = weight[n * products + k];
      const [channel, tap] = [Math.floor(k / 9), k % 9];
      const start = channel * PADDED * PADDED + Math.floor(tap / 3) * PADDED + (tap % 3);
      addPlane(sums, n * PLANE, framed, start, factor);
    }
  }
  return sums;
}

function addPlane(sums, to, framed, from, factor) {
  for (let row = 0; row < 8; row++) {
    for (let column = 0; column < 8; column++) {
      sums[to + row * 8 + column] += factor * framed[from + row * PADDED + column];
    }
  }
}

/** The channels with a border of zeros around each. */
function framedBy0(x) {
  const channels = x.length / PLANE;
  const framed = new Float64Array(channels * PADDED * PADDED);
  for (let i = 0; i < x.length; i++) {
    const [channel, row, column] = [Math.floor(i / PLANE), Math.floor((i % PLANE) / 8), i % 8];
    framed[channel * PADDED * PADDED + (row + 1) * PADDED + column + 1] = x[i];
  }
  return framed;
}

/** The largest of each 2 × 2 numbers or codes. */
function pooled(x) {
  const result = new x.constructor(x.length / 4);
  for (let i = 0; i < result.length; i++) {
    const [channel, row, column] = [Math.floor(i / 16), Math.floor((i % 16) / 4), i % 4];
    const at = channel * PLANE + row * 16 + column * 2;
    result[i] = Math.max(x[at], x[at + 1], x[at + 8], x[at + 9]);
  }
  return result;
}

const channelOf = (name, i) => (name === "fc" ? i : Math.floor(i / PLANE));

/** The place of the largest number; of the first one among equals. */
export function largestAt(numbers) {
  let best = 0;
  for (let i = 1; i < numbers.length; i++) if (numbers[i] > numbers[best]) best = i;
  return best;
}
