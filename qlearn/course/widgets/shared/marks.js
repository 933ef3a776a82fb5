// The marks of a ruler: where each lies, and from where to where numbers come to it.

/**
 * Return of each mark its step, its value, and the values `from` and `to` between which a number
 * gets it. Steps are codes, or the `levels` of a format. The first and the last mark reach as far
 * beyond themselves as if the ruler went on; what lies farther out is clipped.
 */
export function marksOf({ scale, zeroPoint, quantMin, quantMax, levels, rounding }) {
  const steps = levels ?? Array.from({ length: quantMax - quantMin + 1 }, (_, i) => quantMin + i);
  const beyond = [2 * steps[0] - steps[1], 2 * steps.at(-1) - steps.at(-2)];
  const on = [beyond[0], ...steps, beyond[1]];
  const place = (step) => scale * (step - zeroPoint);
  const border = (i) => place(rounding === "down" ? on[i + 1] : (on[i] + on[i + 1]) / 2);
  return Array.from(steps, (step, i) => ({
    step,
    value: place(step),
    from: border(i),
    to: border(i + 1),
  }));
}
