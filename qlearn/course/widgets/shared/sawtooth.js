// The error of quantization over the number line: a tooth for each mark.

import { marksOf } from "./marks.js";

/**
 * Return the ends of each mark's tooth, [x, error] at its left and its right, as far as they lie
 * in the domain. The first and the last mark also get what lies beyond them: that is clipping.
 */
export function teeth(qparams, [from, to]) {
  const marks = marksOf(qparams);
  const found = [];
  for (const [i, mark] of marks.entries()) {
    const left = i === 0 ? from : Math.max(mark.from, from);
    const right = i === marks.length - 1 ? to : Math.min(mark.to, to);
    if (left < right) found.push([left, right].map((x) => [x, mark.value - x]));
  }
  return found;
}
