// Requantization: from an int32 sum of one layer to a code of the next, as each engine of
// qlearn.requantize rounds on the way, and in fixed point (qlearn.fixed_point_multiplier).

import { fma, fround, rint } from "./quantmath.js";

/**
 * All that the sums of one output are computed with. `perOutput` says that other outputs have
 * weight scales of their own; `bits` are those of the integer that fixed point multiplies by.
 */
export function requantizer({ xScale, weightScale, bias, output, perOutput = false, bits = 31 }) {
  const step = fround(xScale * weightScale); // the real number that 1 in a sum stands for
  const multiplier = fround(step / output.scale);
  const wholeBias = rint(fround(bias * fround(1 / step)));
  const { scale: outputScale, zeroPoint } = output;
  const given = { xScale, weightScale, bias, outputScale, zeroPoint, perOutput };
  return { ...given, step, multiplier, wholeBias, fixed: fixedPoint(multiplier, bits) };
}

/** An integer of so many bits, and the shift: whole / 2^shift is about the multiplier. */
function fixedPoint(multiplier, bits) {
  const shift = bits - 1 - Math.floor(Math.log2(multiplier));
  const whole = rint(multiplier * 2 ** shift);
  return whole < 2 ** bits ? { whole, shift } : { whole: whole / 2, shift: shift - 1 };
}

/** For each rule, the number in steps of the output, and the code before it is clamped. */
export const RULES = {
  fbgemm: (sum, p) => {
    const joined = p.perOutput
      ? fround(fround(sum) + fround(p.bias / p.step))
      : fma(p.bias, fround(1 / p.step), fround(sum));
    return stepsToEven(fround(joined * p.multiplier), p);
  },
  qnnpack: (sum, p) =>
    stepsToEven(fround(fround(sum + p.wholeBias) * fround(p.step * fround(1 / p.outputScale))), p),
  // As on processors with AVX-512 or AVX-VNNI; on older ones it multiplies the scales first. With
  // AMX it depends on the shape.
  onednn: (sum, p) => {
    const scaled = fround(fround(fround(sum) * fround(1 / fround(1 / p.xScale))) * p.weightScale);
    const steps = fround(fround(scaled + p.bias) * fround(1 / p.outputScale));
    return { steps, code: rint(fround(steps + p.zeroPoint)) };
  },
  fixed: (sum, { wholeBias, zeroPoint, fixed: { whole, shift } }) => {
    const product = BigInt(sum + wholeBias) * BigInt(whole);
    const rounded = (product + (1n << BigInt(shift - 1))) >> BigInt(shift);
    return { steps: Number(product) / 2 ** shift, code: Number(rounded) + zeroPoint };
  },
};

/** What int32 cannot hold becomes the smallest one, as a processor of x86-64 converts it. */
function stepsToEven(steps, { zeroPoint }) {
  const whole = rint(steps);
  return { steps, code: (Math.abs(whole) < 2 ** 31 ? whole : -(2 ** 31)) + zeroPoint };
}
