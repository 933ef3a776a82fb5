// What comes from Python as bytes, and what is computed once of it.

import { clamp, extremes } from "./quantmath.js";

/** Read a DataView of little-endian float32; the copy is aligned as Float32Array asks. */
export const float32Values = once(({ buffer, byteOffset, byteLength }) => {
  return new Float32Array(buffer.slice(byteOffset, byteOffset + byteLength));
});

/** Call a function once for each object that it is given. */
export function once(compute) {
  const known = new WeakMap();
  return (object) => {
    if (!known.has(object)) known.set(object, compute(object));
    return known.get(object);
  };
}

/** Call a function once for each list of arguments. */
export function memoized(compute) {
  const known = new Map();
  return (...args) => {
    const key = JSON.stringify(args);
    if (!known.has(key)) known.set(key, compute(...args));
    return known.get(key);
  };
}

/** Call a function once while its arguments stay the same objects; it remembers the last ones. */
export function latest(compute) {
  let known;
  return (...args) => {
    if (!known || args.some((each, i) => each !== known.args[i])) {
      known = { args, found: compute(...args) };
    }
    return known.found;
  };
}

/** Count values into equal bins over the domain. */
export function histogram(values, [low, high], bins) {
  const counts = new Array(bins).fill(0);
  for (const value of values) {
    const bin = Math.floor(((value - low) / (high - low)) * bins);
    if (bin >= 0 && bin < bins) counts[bin]++;
  }
  const edges = Array.from({ length: bins + 1 }, (_, i) => low + ((high - low) * i) / bins);
  return { counts, edges };
}

/** Round numbers inside the domain, at most about `wanted` of them; two at least. */
export function niceTicks([low, high], wanted) {
  const rough = (high - low) / wanted;
  const power = 10 ** Math.floor(Math.log10(rough));
  const steps = [0.5, 1, 2, 5, 10].map((m) => m * power);
  const fit = steps.findIndex((step) => step >= rough);
  const ticks = multiples([low, high], steps[fit]);
  return ticks.length > 1 ? ticks : multiples([low, high], steps[fit - 1]);
}

function multiples([low, high], step) {
  const all = [];
  for (let i = Math.ceil(low / step); i * step <= high; i++) all.push(i * step);
  return all;
}

/** The domain with some room at either end. */
export function padded([low, high], share = 0.05) {
  const margin = share * (high - low) || 1;
  return [low - margin, high + margin];
}

/**
 * The domain and the step for handles on these values, and room beyond them, up to the `most` that
 * they take. It is the one that is `kept`, if any: under a hand that drags it holds still.
 */
export function roomFor(values, kept, most = Infinity) {
  if (kept) return kept;
  const { domain, step } = stepped(padded(extremes([0, ...values]), 0.25));
  return { domain: domain.map((end) => clamp(end, -most, most)), step };
}

/** The domain that reaches to whole steps, and the step: for a handle, some 40 of them. */
export function stepped([low, high], step = 10 ** Math.floor(Math.log10((high - low) / 40))) {
  return { domain: [step * Math.floor(low / step), step * Math.ceil(high / step)], step };
}
