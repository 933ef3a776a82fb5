// A matrix whose numbers share scales: all of a tensor, of a channel, or of a group in a row; the
// same numbers as qlearn's quantize_groups.

import { groupQParams } from "../shared/groups.js";
import { largestSize, roundTrip, rowsOf } from "../shared/quantmath.js";

export const COLUMNS = 32; // of the 16 rows that are shown
const SCALE = 16; // bits that a stored scale takes

/** Return how many rows and columns share a scale. */
export const regionOf = (shared) =>
  shared === "tensor" ? [16, COLUMNS] : [1, shared === "channel" ? COLUMNS : shared];

/**
 * Return how many scales there are, codes, what they stand for, and the errors. `largest` has the
 * size of the largest number of the whole tensor, and of each row, beyond what is shown too.
 */
export function quantized(values, largest, { bits, shared }) {
  const [rows, columns] = regionOf(shared);
  const beyond = { tensor: () => largest[0], channel: (i) => largest[1 + i] }[shared];
  const regions = rowsOf(values, rows * columns).map((region, i) => {
    const reach = beyond ? beyond(i) : largestSize(region);
    return roundTrip(region, groupQParams(reach, bits));
  });
  const [codes, restored] = ["codes", "restored"].map((of) => regions.flatMap((r) => [...r[of]]));
  const error = restored.map((value, i) => value - values[i]);
  const share = Math.hypot(...error) / (Math.hypot(...values) || 1);
  return { scales: regions.length, codes, restored, error, share };
}

/** The bits of a code, and a number's part of the scale that it shares. */
export const bitsPerWeight = ([bits, shared], [rows, columns]) =>
  bits + SCALE / ({ tensor: rows * columns, channel: columns }[shared] ?? shared);
