// Keys or values of one head in a cache with groups of tokens, as QuantizedCache of qlearn holds
// them, by qlearn's quantize_cache. A matrix is a list of its rows, one for each token.

import { groupQParams } from "./groups.js";
import { largestSize, roundTrip } from "./quantmath.js";

const STORED = 16; // bits of a scale, and of a number that waits

/** What numbers that share a scale are rounded with. */
const sharedQParams = (numbers, bits) => groupQParams(largestSize(numbers), bits);

/** How many of so many tokens wait in float until their group is full. */
export const waiting = (tokens, { axis, groupSize }) =>
  axis === "channel" ? tokens % groupSize : 0;

/** What shares a scale among the tokens that do not wait, each [token, channel, height, width]. */
export function boxes(tokens, { channels, ...form }) {
  const [height, width] = form.axis === "channel" ? [form.groupSize, 1] : [1, channels];
  const full = tokens - waiting(tokens, form);
  const [down, across] = [full / height, channels / width];
  return Array.from({ length: down * across }, (_, i) => {
    const row = Math.floor(i / across);
    return [row * height, (i - row * across) * width, height, width];
  });
}

/** The numbers of a box, one row after the other. */
const inside = (rows, [token, channel, height, width]) =>
  rows.slice(token, token + height).flatMap((row) => row.slice(channel, channel + width));

/** The rows as they come back: from their codes, and those that wait as they are. */
export function restored(rows, { bits, ...form }) {
  const back = rows.map((row) => [...row]);
  for (const box of boxes(rows.length, { ...form, channels: rows[0].length })) {
    const numbers = inside(rows, box);
    const [token, channel, , width] = box;
    roundTrip(numbers, sharedQParams(numbers, bits)).restored.forEach((value, i) => {
      back[token + Math.floor(i / width)][channel + (i % width)] = value;
    });
  }
  return back;
}

/** The bytes of a matrix of so many tokens: codes, scales, and the numbers that wait. */
export function bytesOf(tokens, { bits, ...form }) {
  const inFloat = waiting(tokens, form) * form.channels;
  const coded = tokens * form.channels - inFloat;
  return (coded * bits + STORED * (boxes(tokens, form).length + inFloat)) / 8;
}
