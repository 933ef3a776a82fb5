// One int32 sum to one uint8 code, by the rules of qlearn.requantize and in fixed point.

import { clamp, fma, fround, rint } from "../shared/quantmath.js";

export const LARGEST_SUM = 2 ** 29; // no bias that the widget takes can make it overflow int32
export const TOP_CODE = 255;

const stepsToEven = (steps, { zeroPoint }) => ({ steps, code: rint(steps) + zeroPoint });

/** For each rule, the number in steps of the output, and the code before it is clamped. */
const RULES = {
  fbgemm: (sum, p) =>
    stepsToEven(fround(fma(p.bias, fround(1 / p.step), fround(sum)) * p.multiplier), p),
  qnnpack: (sum, p) =>
    stepsToEven(fround(fround(sum + p.wholeBias) * fround(p.step * fround(1 / p.outputScale))), p),
  // As on processors with AVX-512 or AVX-VNNI; on older ones it multiplies the scales first.
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

/** What can be computed of the widget's traits before any sum is known. */
export function prepare({ zero_point: zeroPoint, relu, bits, ...traits }) {
  const names = ["x_scale", "weight_scale", "output_scale", "bias"];
  const [xScale, weightScale, outputScale, bias] = names.map((name) => fround(traits[name]));
  const step = fround(xScale * weightScale);
  const multiplier = fround(step / outputScale);
  const wholeBias = rint(fround(bias * fround(1 / step)));
  const [fixed, least] = [fixedPoint(multiplier, bits), relu ? zeroPoint : 0];
  const given = { xScale, weightScale, outputScale, bias, zeroPoint };
  return { ...given, step, multiplier, wholeBias, fixed, least };
}

/** An integer of so many bits, and the shift: whole / 2^shift is about the multiplier. */
function fixedPoint(multiplier, bits) {
  const shift = bits - 1 - Math.floor(Math.log2(multiplier));
  const whole = rint(multiplier * 2 ** shift);
  return whole < 2 ** bits ? { whole, shift } : { whole: whole / 2, shift: shift - 1 };
}

/** The code of a sum by a rule, and the number of steps that was rounded to it. */
export function requantizeSum(sum, rule, prepared) {
  const { steps, code } = RULES[rule](sum, prepared);
  return { steps, code: clamp(code, prepared.least, TOP_CODE) };
}

/** The smallest sum that reaches a code by a rule, where no code is clamped. */
export function firstSum(code, rule, prepared) {
  let [below, above] = [-LARGEST_SUM, LARGEST_SUM];
  while (above - below > 1) {
    const middle = Math.floor((below + above) / 2);
    if (RULES[rule](middle, prepared).code >= code) above = middle;
    else below = middle;
  }
  return above;
}

/** The stretches [from, to) of sums that get another code by the rule than by fbgemm. */
export function differences(rule, prepared) {
  const stretches = [];
  for (let code = prepared.least + 1; code <= TOP_CODE; code++) {
    const ends = [rule, "fbgemm"].map((each) => firstSum(code, each, prepared));
    const [from, to] = [Math.min(...ends), Math.max(...ends)];
    const last = stretches.at(-1);
    if (last && from <= last[1]) last[1] = Math.max(last[1], to);
    else if (from < to) stretches.push([from, to]);
  }
  return stretches;
}
