// One int32 sum to one uint8 code, by the rules of qlearn.integers.requantization and in fixed point.

import { clamp, fma, rint } from "./quantmath.js";

const float = Math.fround;
const LARGEST_SUM = 2 ** 29; // no bias that the widget takes can make it overflow int32
const TOP_CODE = 255;

/** For each rule, the number in steps of the output, and the code before it is clamped. */
const RULES = {
  fbgemm: (sum, p) => {
    const steps = float(fma(p.bias, float(1 / p.step), float(sum)) * p.multiplier);
    return { steps, code: rint(steps) + p.zeroPoint };
  },
  qnnpack: (sum, p) => {
    const steps = float(float(sum + p.wholeBias) * float(p.step * float(1 / p.outputScale)));
    return { steps, code: rint(steps) + p.zeroPoint };
  },
  // As on processors with AVX-512 or AVX-VNNI; on older ones it multiplies the scales first.
  onednn: (sum, p) => {
    const scaled = float(float(float(sum) * float(1 / float(1 / p.xScale))) * p.weightScale);
    const steps = float(float(scaled + p.bias) * float(1 / p.outputScale));
    return { steps, code: rint(float(steps + p.zeroPoint)) };
  },
  fixed: (sum, p) => {
    const product = BigInt(sum + p.wholeBias) * p.fixed.whole;
    const steps = Number(product) / 2 ** p.fixed.shift;
    const rounded = (product + (1n << BigInt(p.fixed.shift - 1))) >> BigInt(p.fixed.shift);
    return { steps, code: Number(rounded) + p.zeroPoint };
  },
};

/** What can be computed before any sum is known, from numbers as a reader types them. */
export function prepare({ xScale, weightScale, outputScale, zeroPoint, bias, relu, bits }) {
  const scales = { xScale: float(xScale), weightScale: float(weightScale), outputScale: float(outputScale) };
  const step = float(scales.xScale * scales.weightScale);
  const multiplier = float(step / scales.outputScale);
  return {
    ...scales,
    step,
    multiplier,
    zeroPoint,
    bias: float(bias),
    wholeBias: rint(float(float(bias) * float(1 / step))),
    least: relu ? zeroPoint : 0,
    fixed: fixedPoint(multiplier, bits),
  };
}

/** An integer of so many bits, and the shift: whole / 2^shift is about the multiplier. */
export function fixedPoint(multiplier, bits) {
  let shift = bits;
  let fraction = multiplier;
  while (fraction < 0.5) {
    fraction *= 2;
    shift++;
  }
  const whole = rint(fraction * 2 ** bits);
  return whole === 2 ** bits
    ? { whole: BigInt(whole / 2), shift: shift - 1 }
    : { whole: BigInt(whole), shift };
}

/** The code of a sum by a rule, and the number of steps that was rounded to it. */
export function requantizeSum(sum, rule, prepared) {
  const { steps, code } = RULES[rule](sum, prepared);
  return { steps, code: clamp(code, prepared.least, TOP_CODE) };
}

/** For each code 0 … 256 the smallest sum that reaches it, where no code is clamped. */
export function firstSums(rule, prepared) {
  const firsts = [];
  for (let code = 0; code <= TOP_CODE + 1; code++) {
    firsts.push(rule === "fixed" ? firstFixed(code, prepared) : firstFloat(code, rule, prepared));
  }
  return firsts;
}

function firstFixed(code, { zeroPoint, wholeBias, fixed: { whole, shift } }) {
  // floor((sum · whole + half) / 2^shift) ≥ steps, solved for the sum
  const least = (BigInt(code - zeroPoint) << BigInt(shift)) - (1n << BigInt(shift - 1));
  const ceiling = least > 0n ? (least + whole - 1n) / whole : -(-least / whole);
  return Number(ceiling) - wholeBias;
}

function firstFloat(code, rule, prepared) {
  const near = (code - 0.5 - prepared.zeroPoint) / prepared.multiplier - prepared.bias / prepared.step;
  const reach = 8 + 1e-5 * (Math.abs(near) + Math.abs(prepared.bias / prepared.step));
  let [below, above] = [Math.floor(near - reach), Math.ceil(near + reach)];
  while (above - below > 1) {
    const middle = Math.floor((below + above) / 2);
    if (RULES[rule](middle, prepared).code >= code) above = middle;
    else below = middle;
  }
  return above;
}

/** The stretches [from, to) of sums that get different codes by the two lists of first sums. */
export function differences(ours, theirs, { least }) {
  const stretches = [];
  for (let code = least + 1; code <= TOP_CODE; code++) {
    const [from, to] = [Math.min(ours[code], theirs[code]), Math.max(ours[code], theirs[code])];
    const last = stretches.at(-1);
    if (from === to) continue;
    if (last && from <= last[1]) last[1] = Math.max(last[1], to);
    else stretches.push([from, to]);
  }
  return stretches;
}

/** A sum that the page can show, as near as possible to this number. */
export function nearestSum(number) {
  return clamp(Math.round(number), -LARGEST_SUM, LARGEST_SUM);
}
