// The error of quantization over the number line: a tooth for each code.

/**
 * Return the ends of each code's tooth, [x, error] at its left and its right, as far as they lie
 * in the domain. The first and the last code also get what lies beyond them: that is clipping.
 */
export function teeth({ scale, zeroPoint, quantMin, quantMax }, [from, to]) {
  const found = [];
  for (let code = quantMin; code <= quantMax; code++) {
    const value = scale * (code - zeroPoint);
    const left = code === quantMin ? from : Math.max(value - scale / 2, from);
    const right = code === quantMax ? to : Math.min(value + scale / 2, to);
    if (left < right) found.push([left, right].map((x) => [x, value - x]));
  }
  return found;
}
