// Rulers of a format: its codes are integers, or they name the levels of a float or of NF4.

import * as float from "./float_formats.js";
import * as math from "./quantmath.js";

const SMALLEST = 2 ** -126; // the smallest normal number, so that a division by a scale is finite
const NF4 = new Float32Array([
  -1.0, -0.6961928, -0.52507305, -0.3949175, -0.28444138, -0.18477343, -0.091050036, 0.0, 0.0795803,
  0.1609302, 0.2461123, 0.33791524, 0.44070983, 0.562617, 0.72295684, 1.0,
]);
const BETWEEN = NF4.slice(1).map((level, i) => (level + NF4[i]) / 2);

/** A float of few bits: its numbers, and the one that is nearest to another number. */
function ofFloat(format) {
  const meant = (code) => float.decode(code, format);
  const [first, last] = float.places(format);
  const levels = float.numbersFrom(first, last - first + 1, format);
  return { bits: float.width(format), levels, nearest: (x) => meant(float.encode(x, format)) };
}

/** The formats whose codes name levels; their ruler has the scale 1. */
export const FORMATS = {
  E4M3FN: ofFloat(float.FORMATS.E4M3FN),
  E5M2: ofFloat(float.FORMATS.E5M2),
  E2M1FN: ofFloat(float.E2M1FN),
  NF4: {
    bits: 4,
    levels: NF4,
    nearest: (x) => NF4.at(BETWEEN.findIndex((between) => x <= between)), // a tie goes down
  },
};

/** The names of the formats with so many bits: of integers, and of those above. */
export const formatsOf = (bits) => [
  ["integer", `int${bits}`],
  ...Object.keys(FORMATS)
    .filter((name) => FORMATS[name].bits === bits)
    .map((name) => [name, name]),
];

/** The ruler for values between two ends: what torch's observer chooses, or the size at the end. */
export function fittedRuler([low, high], { format, rounding, ...kind }) {
  if (!(format in FORMATS)) return { ...math.chooseQParams(low, high, kind), rounding };
  const { levels, nearest } = FORMATS[format];
  const [quantMin, quantMax] = [levels[0], levels.at(-1)];
  const scale = Math.max(math.fround(Math.max(-low, high) / quantMax), SMALLEST);
  return { scale, zeroPoint: 0, quantMin, quantMax, levels, nearest };
}

/**
 * The ruler that fits the row that is shown, and between which `scales` it may be stretched: `byHand`
 * only as far as its ends can be told apart. The one that the row has, scale and zero point perhaps
 * moved; what becomes of that row, of all, and of the worst. All rows have one ruler, or
 * `per_channel` each its own.
 */
export function rulersOf(rows, { channel, per_channel: each, scale, zero_point: zero, ...kind }) {
  const ends = rows.map(math.extremes);
  const fit = (i) => fittedRuler(each ? ends[i] : math.extremes(ends.flat()), kind);
  const fitted = fit(channel);
  const moved = { scale: math.fround(scale ?? fitted.scale), zeroPoint: zero ?? fitted.zeroPoint };
  const qparams = { ...fitted, ...moved };
  const all = rows.map((row, i) => measured(row, each && i !== channel ? fit(i) : qparams));
  const worst = all.reduce((a, b) => (b.sqnr < a.sqnr ? b : a));
  const scales = scalesAround(fitted.scale);
  const byHand = { min: fitted.scale / 5, max: scales.max };
  return { scales, byHand, qparams, ...all[channel], all, worst };
}

/** From where to where, in steps of one unit in the second digit. */
function scalesAround(scale) {
  const step = 10 ** (Math.floor(Math.log10(scale)) - 1);
  return { step, min: step, max: 1000 * step };
}

/** What becomes of values on a ruler: codes or levels, what they stand for, and the errors. */
export function measured(values, ruler) {
  const found = ruler.levels ? inLevels(values, ruler) : math.roundTrip(values, ruler);
  const sum = values.reduce((all, value, i) => all + (found.restored[i] - value), 0);
  return { ...found, bias: sum / values.length };
}

function inLevels(values, { scale, levels, nearest }) {
  const step = math.fround(scale);
  const scaled = values.map((value) => value / step); // a Float32Array, which rounds
  const codes = Array.from(scaled, nearest);
  const restored = Float32Array.from(codes, (level) => step * level);
  const low = 1.5 * levels[0] - 0.5 * levels[1]; // NF4 is wider spaced here than at its right end
  const high = 1.5 * levels.at(-1) - 0.5 * levels.at(-2);
  const share = scaled.filter((x) => x < low || x > high).length / values.length;
  return { codes, restored, share, ...math.errors(values, restored) };
}
