// Which sums get another code by another rule.

import { clamp, fround } from "../shared/quantmath.js";
import { RULES, requantizer } from "../shared/requantization.js";

export const LARGEST_SUM = 2 ** 29; // no bias that the widget takes can make it overflow int32
export const TOP_CODE = 255;

/** What can be computed of the widget's traits before any sum is known. */
export function prepare({ zero_point: zeroPoint, relu, bits, ...traits }) {
  const names = ["x_scale", "weight_scale", "output_scale", "bias"];
  const [xScale, weightScale, scale, bias] = names.map((name) => fround(traits[name]));
  const given = { xScale, weightScale, bias, bits, output: { scale, zeroPoint } };
  return { ...requantizer(given), least: relu ? zeroPoint : 0 };
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
