// Attention over a cache of keys and values, token after token: what the codes change, and save.

import { dot, rowsOf } from "../shared/quantmath.js";
import { bytesOf, restored, waiting } from "../shared/token_groups.js";
import { float32Values } from "../shared/values.js";

const LOUDER = 8;

/** Keys and values, each with its form, rows and what a cache holds; and what each query finds. */
export function course({ numbers, channels, channel, loud, group_size: groupSize, bits, ...axes }) {
  const rows = rowsOf(float32Values(numbers), channels).map((row) => [...row]);
  const third = rows.length / 3;
  const louder = (factor) => (row) => (loud ? row.with(channel, row[channel] * factor) : row);
  const part = (i, factor) => rows.slice(i * third, (i + 1) * third).map(louder(factor));
  const half = (rows, axis) => {
    const form = { axis, channels, groupSize, bits };
    const back = restored(rows, form);
    const full = (tokens) => tokens - waiting(tokens, form);
    const held = (tokens) => [...back.slice(0, full(tokens)), ...rows.slice(full(tokens), tokens)];
    return { form, rows, held };
  };
  const halves = [half(part(0, LOUDER), axes.key_axis), half(part(1, 1), axes.value_axis)];
  return { halves, steps: part(2, 1 / LOUDER).map((query, i) => step(query, i + 1, halves)) };
}

/** What the query of the newest token finds, and the bytes of the cache. */
function step(query, tokens, halves) {
  const exact = attention(query, ...halves.map(({ rows }) => rows.slice(0, tokens)));
  const found = attention(query, ...halves.map(({ held }) => held(tokens)));
  const [keys, values] = halves.map(({ form }) => bytesOf(tokens, form));
  return { ...difference(exact, found), now: keys + values, float: 4 * tokens * query.length };
}

/** The shares in which a query takes the values, and what it takes. */
export function attention(query, keys, values) {
  const scores = keys.map((key) => dot(key, query) / Math.sqrt(query.length));
  const most = Math.max(...scores);
  const odds = scores.map((each) => Math.exp(each - most));
  const total = odds.reduce((sum, each) => sum + each);
  const shares = odds.map((each) => each / total);
  const output = query.map((_, i) => values.reduce((sum, row, j) => sum + shares[j] * row[i], 0));
  return { shares, output };
}

/** How much of the attention goes elsewhere, and the size of the output's error, as shares. */
export function difference(exact, found) {
  const moved = exact.shares.reduce((sum, share, i) => sum + Math.abs(share - found.shares[i]), 0);
  const off = exact.output.map((value, i) => value - found.output[i]);
  return { moved: moved / 2, error: Math.hypot(...off) / (Math.hypot(...exact.output) || 1) };
}
