// A row of weights in groups: the marks of each group, and what comes back; the same numbers as
// qlearn's quantize_groups and nf4_quantize.

import { affineQParams, groupQParams } from "../shared/groups.js";
import {
  clamp,
  dequantize,
  extremes,
  fround,
  largestSize,
  roundTrip,
  rowsOf,
} from "../shared/quantmath.js";
import { FORMATS } from "../shared/rulers.js";

const STORED_BITS = { symmetric: 16, affine: 32, nf4: 32 }; // of each group, beside its codes
const SMALLEST_LARGEST = fround(1e-38); // of a group of NF4
const { levels: LEVELS, nearest } = FORMATS.NF4;

/** Return the marks of a group's ruler and what each of its weights comes back as. */
export function inIntegers(weights, { bits, symmetric }) {
  const ends = extremes([0, ...weights]);
  const qparams = symmetric ? groupQParams(largestSize(weights), bits) : affineQParams(ends, bits);
  const { quantMin, quantMax } = qparams;
  const codes = Array.from({ length: quantMax - quantMin + 1 }, (_, i) => quantMin + i);
  const [marks, { restored }] = [dequantize(codes, qparams), roundTrip(weights, qparams)];
  return { marks: [...marks], restored: [...restored] };
}

/** The same with the levels of NF4, between minus and plus the largest size. */
export function inLevels(weights) {
  const largest = largestSize(weights);
  const scaled = (weight) =>
    clamp(fround(weight * fround(1 / Math.max(largest, SMALLEST_LARGEST))), -1, 1);
  const meant = (level) => fround(level * largest);
  const restored = [...weights].map((weight) => meant(nearest(scaled(weight))));
  return { marks: [...LEVELS].map(meant), restored };
}

/** Return the groups of a row, each with its marks and what comes back. */
export const groups = (row, { groupSize, bits, scheme }) =>
  rowsOf(row, groupSize).map((weights) =>
    scheme === "nf4"
      ? inLevels(weights)
      : inIntegers(weights, { bits, symmetric: scheme === "symmetric" }),
  );

/** The bits of a code, and a weight's share of what its group stores. */
export const bitsPerWeight = ({ groupSize, bits, scheme }) =>
  (scheme === "nf4" ? 4 : bits) + STORED_BITS[scheme] / groupSize;

/** The size of all errors but that of one weight, as a share of the size of these weights. */
export function error(row, restored, without) {
  const others = [...row.keys()].filter((i) => i !== without);
  const size = (value) => Math.hypot(...others.map(value));
  return size((i) => row[i] - restored[i]) / (size((i) => row[i]) || 1);
}
