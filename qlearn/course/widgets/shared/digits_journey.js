// One image on its way through the digits network (qlearn.course.digits.journey), step by step,
// and what each number of a step was made of.

import { bothWays, network } from "./digits_layers.js";
import { products, rowsOf } from "./quantmath.js";
import { windows } from "./static_layers.js";
import { float32Values, latest, memoized } from "./values.js";

const MAP = [8, 8]; // rows and columns of an image, and of each channel of a convolution

/** Each step: in which stage of the network it is, what it does, and the shape of a channel. */
export const STEPS = [
  { name: "pixels", stage: "input", does: "quantize", size: MAP },
  { name: "conv1: sums", stage: "conv1", does: "add", size: MAP },
  { name: "conv1: codes", stage: "conv1", does: "requantize", size: MAP },
  { name: "conv2: sums", stage: "conv2", does: "add", size: MAP },
  { name: "conv2: codes", stage: "conv2", does: "requantize", size: MAP },
  { name: "pool: codes", stage: "pool", does: "choose", size: [4, 4] },
  { name: "fc: sums", stage: "fc", does: "add", size: [2, 5] },
  { name: "fc: codes", stage: "fc", does: "requantize", size: [2, 5] },
];
const BITS = { input: 8, conv1: 8, conv2: 8, fc: 8 };

/**
 * Every step with its numbers: the `real` ones, and the `codes`, which may be int32 sums; `fromZero`
 * these are without their zero point, so that 0 means 0.
 */
export function journey(parameters, pixels, ranges) {
  const net = network(parameters);
  const stages = bothWays(net, pixels, { ranges, activation_bits: BITS, weight_bits: BITS });
  return STEPS.map((step) => {
    const i = stages.findIndex(({ name }) => name === step.stage);
    const [stage, before, layer] = [stages[i], stages[i - 1], net[step.stage]];
    const all = { ...stage, ...step, real: stage.exact, before, layer };
    const fromZero = stage.codes.map((code) => code - stage.qparams.zeroPoint);
    if (step.does !== "add") return { ...all, fromZero };
    const real = products(layer.rows, layer.inputs(before.exact)).flat();
    const sums = stage.sums.flat();
    return { ...all, real, codes: sums, fromZero: sums };
  });
}

const kept = latest((parameters, ranges, pixels, image, drawing) =>
  journey(parameters, shownPixels({ pixels, image, drawing }), ranges),
);
/** The journey of the image that a widget shows; it is computed once for each. */
export const stepsOf = ({ parameters, ranges, pixels, image, drawing }) =>
  kept(parameters, ranges, pixels, image, drawing);

/** Where the number of a step lies: its channel, row and column, from 0. */
export function placeOf(number, at) {
  const [rows, columns] = STEPS[number].size;
  return [Math.floor(at / (rows * columns)), Math.floor(at / columns) % rows, at % columns];
}

/** The windows of a convolution over so many numbers, as their places; −1 is beyond the edge. */
const windowsOver = memoized((count) => {
  const numbered = Int32Array.from({ length: count }, (_, i) => i + 1); // 0 is the padding
  return windows(numbered, MAP[0]).map((window) => Array.from(window, (i) => i - 1));
});
const ADDED = { conv1: () => windowsOver(64), conv2: () => windowsOver(1024) };
const ALL = Array.from({ length: 256 }, (_, i) => i);

/** The places in the step before that a number is made of. */
export function madeOf(number, at) {
  const { stage, does } = STEPS[number];
  if (does === "quantize") return [];
  if (does === "requantize") return [at];
  if (does === "add") return stage in ADDED ? ADDED[stage]()[at % 64] : ALL;
  const [channel, row, column] = placeOf(number, at);
  const first = 64 * channel + 16 * row + 2 * column;
  return [first, first + 1, first + 8, first + 9];
}

/** Which output of its layer a number belongs to: a channel, or a digit. */
export const outputOf = ({ real, weights }, at) => Math.floor((at * weights.length) / real.length);

/** The products in a sum, in real numbers and in integers; the step before has the `place` of each. */
export function terms(steps, number, at) {
  const { before, layer, weights } = steps[number];
  const output = outputOf(steps[number], at);
  const { zeroPoint } = before.qparams;
  return madeOf(number, at).map((place, k) => {
    const [x, w] = [before.exact[place] ?? 0, layer.rows[output][k]];
    const [input, weight] = [
      (before.codes[place] ?? zeroPoint) - zeroPoint,
      weights[output].codes[k],
    ];
    return { place, k, x, w, real: x * w, input, weight, whole: input * weight };
  });
}

/** The same, the largest first; those of equal size in their order. */
export const bySize = (all) => all.toSorted((a, b) => Math.abs(b.whole) - Math.abs(a.whole));

/** The largest product of a sum that has the sum's own sign: a larger one counts against it. */
export function mostAdded(steps, number, at) {
  const sign = steps[number].codes[at] < 0 ? -1 : 1;
  const inside = terms(steps, number, at).filter(({ place }) => place >= 0);
  return inside.reduce((best, each) => (sign * each.whole > sign * best.whole ? each : best));
}

/** The place in the step before that most of a number comes from: that product, or the largest code. */
export function mostOf(steps, number, at) {
  if (STEPS[number].does === "add") return mostAdded(steps, number, at).place;
  const { codes } = steps[number - 1];
  return madeOf(number, at).reduce((best, each) => (codes[each] > codes[best] ? each : best));
}

/**
 * For each step up to this one the boxes that a number is made of, in the end: of each channel
 * [channel, row, column, rows, columns].
 */
export const sources = memoized((number, at) => {
  const found = [boxes(number, [at])];
  let places = [at];
  for (let i = number; i > 0; i--) {
    places = [...new Set(places.flatMap((place) => madeOf(i, place)))].filter((i) => i >= 0);
    found.unshift(boxes(i - 1, places));
  }
  return found;
});

function boxes(number, places) {
  const placed = places.map((at) => placeOf(number, at));
  return [...Map.groupBy(placed, ([channel]) => channel)].map(([channel, all]) => {
    const [rows, columns] = [1, 2].map((axis) => all.map((place) => place[axis]));
    const [top, left] = [Math.min(...rows), Math.min(...columns)];
    return [channel, top, left, Math.max(...rows) - top + 1, Math.max(...columns) - left + 1];
  });
}

/** The pixels that are shown: of an image of the widget, or those that a reader drew, 0 to 16. */
export const shownPixels = ({ pixels, image, drawing }) =>
  drawing
    ? Float32Array.from(drawing, (ink) => ink / 16)
    : rowsOf(float32Values(pixels), 64)[image];
