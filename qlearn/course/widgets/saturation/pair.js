// Two products added in sixteen bits, as the instruction vpmaddubsw adds them; the same numbers
// as qlearn.saturating_matmul.

import { clamp } from "../shared/quantmath.js";

export const INT16 = [-32768, 32767];
export const LARGEST = { full: 255, reduced: 127 };
export const WEIGHTS = [-128, 127];

/** The code that an activation has once reduce_range leaves it 0 … 127; what is rounded is no tie. */
export const reducedCode = (code) => Math.round((code * LARGEST.reduced) / LARGEST.full);

/** Return both products, their exact sum, and the sum clamped to sixteen bits. */
export function addPair(codes, weights) {
  const products = codes.map((code, i) => code * weights[i]);
  const exact = products[0] + products[1];
  return { products, exact, pair: clamp(exact, ...INT16) };
}

/** Return the share, 0 to 1, of all pairs of weights whose sum saturates with these codes. */
export function saturatingShare(codes) {
  let saturating = 0;
  for (let first = WEIGHTS[0]; first <= WEIGHTS[1]; first++) {
    for (let second = WEIGHTS[0]; second <= WEIGHTS[1]; second++) {
      const sum = codes[0] * first + codes[1] * second;
      if (sum < INT16[0] || sum > INT16[1]) saturating++;
    }
  }
  return saturating / (WEIGHTS[1] - WEIGHTS[0] + 1) ** 2;
}

/** The corners of the part of a convex polygon where normal · point > limit, in their order. */
export function beyond(polygon, normal, limit) {
  const height = ([x, y]) => normal[0] * x + normal[1] * y - limit;
  return polygon.flatMap((point, i) => {
    const next = polygon[(i + 1) % polygon.length];
    const [here, there] = [height(point), height(next)];
    const kept = here > 0 ? [point] : [];
    if (here > 0 === there > 0) return kept;
    const part = here / (here - there);
    return [...kept, [0, 1].map((axis) => point[axis] + part * (next[axis] - point[axis]))];
  });
}
