// The requantizer: one sum on its way to a code, and the sums whose code depends on the rule.

import * as draw from "../shared/drawing.js";
import * as input from "../shared/fields.js";
import { figure } from "../shared/figure.js";
import { compact, counted, decimal, grouped, powerOfTwo, signed } from "../shared/print.js";
import { memoized } from "../shared/values.js";
import * as sums from "./differences.js";

const { ink } = draw;
const { LARGEST_SUM, TOP_CODE } = sums;
const RULES = { fixed: "fixed point", qnnpack: "qnnpack", onednn: "onednn" };
const NUMBERS = {
  total: { label: "Sum", min: -LARGEST_SUM, max: LARGEST_SUM, step: 1 },
  x_scale: { label: "Scale of x", min: 0.001, max: 0.1, step: 0.001 },
  weight_scale: { label: "Scale of the weight", min: 0.001, max: 0.05, step: 0.001 },
  output_scale: { label: "Scale of the output", min: 0.01, max: 1, step: 0.01 },
  bias: { label: "Bias", min: -10, max: 10, step: 0.1 },
};
const SHOWN = [-12, TOP_CODE + 12]; // the codes that there is room for, clamped ones too
const [SUMS, REALS, CODES, STRIP] = [20, 78, 136, 10]; // heights: three lines, a red strip

/** What does not depend on the sum, and so is not computed again while that is dragged. */
const compare = memoized((traits) => {
  const prepared = sums.prepare(traits);
  const firstOf = (code) => sums.firstSum(code, "fbgemm", prepared);
  const count = firstOf(TOP_CODE + 1) - firstOf(prepared.least);
  return { ...prepared, count, stretches: sums.differences(traits.rule, prepared) };
});

function derive({ total, ...traits }) {
  const compared = compare(traits);
  const code = (rule) => sums.requantizeSum(total, rule, compared);
  return { ...compared, ours: code("fbgemm"), theirs: code(traits.rule) };
}

export function view(state) {
  const derived = derive(state);
  return input.panel(
    { name: "requantizer", label: "The requantizer" },
    controls(state, derived),
    input.hint("Drag the sum, or type one: at a red mark the rules part. Drag the zero point too."),
    picture(state, derived),
    input.results(found(state, derived), { wrong: state.wrong }),
    input.task(...reached(state, derived), state.wrong),
  );
}

function controls(state, { stretches }) {
  const { rule, bits, relu } = state;
  const named = { name: "bits", label: "Bits of the multiplier", disabled: rule !== "fixed" };
  const number = ([name, range]) => input.number({ name, value: state[name], ...range });
  return input.fields(
    Object.entries(NUMBERS).map(number),
    input.select({ name: "rule", label: "Compare fbgemm with", value: rule, options: RULES }),
    input.slider({ ...named, value: bits, min: 4, max: 31 }),
    input.checkbox({ name: "relu", label: "Fused ReLU", value: relu }),
    input.button({ name: "next", text: "Next difference", disabled: stretches.length === 0 }),
  );
}

/** Three number lines, one above the other: sums, real numbers, codes. */
function picture({ total, rule }, derived) {
  const { multiplier, step, bias, least, outputScale, zeroPoint, stretches } = derived;
  const [ours, theirs] = [derived.ours.code, derived.theirs.code];
  const domain = SHOWN.map((code) => (code - zeroPoint) / multiplier - bias / step);
  const reals = SHOWN.map((code) => (code - zeroPoint) * outputScale);
  const [ofSum, ofCode] = [draw.across(domain), draw.across(SHOWN)];
  const [from, to, zero] = [ofSum(total), ofCode(ours), ofCode(zeroPoint)];
  const real = `real number ${compact(total * step + bias)}`;
  const codes = [`code ${ours}, by ${RULES[rule]} ${theirs};`, `zero point ${zeroPoint}`];
  const label = `Number lines: sum ${signed(total)}, ${real}, ${codes[0]} ${counted(stretches.length, "red stretch", "red stretches")} where the codes differ`;
  const drawn = [
    draw.clippedAreas(SHOWN, [least - 0.5, TOP_CODE + 0.5], ofCode, [CODES - STRIP, CODES + STRIP]),
    draw.plot(CODES - STRIP, STRIP, differing(stretches, ofSum)),
    draw.axis(domain, SUMS, { name: `sum ${grouped(total)}`, print: grouped }),
    draw.axis(reals, REALS, { name: real }),
    draw.axis(SHOWN, CODES, { name: codes, ticks: [0, TOP_CODE] }),
    draw.line(zero, REALS, zero, CODES),
    draw.line(from, SUMS, from, REALS, { stroke: ink.code }),
    draw.line(from, REALS, to, CODES, { stroke: ink.code }),
    draw.dot(from, REALS, ink.code),
    ours !== theirs && draw.dot(ofCode(theirs), CODES, ink.lost, { r: 8 }),
    draw.dot(to, CODES, ink.code),
  ];
  const held = (name, label, value, domain, at, y) =>
    draw.held({ name, label, text: grouped(value), value, domain, at, y: y - 5 });
  return draw.stage({ height: CODES + 44, label }, drawn, [
    held("total", "Sum", total, domain.map(Math.round), ofSum, SUMS),
    held("zero_point", "Zero point", zeroPoint, [0, TOP_CODE], ofCode, REALS),
  ]);
}

/** A red box for each stretch of sums that get another code. */
function differing(stretches, x) {
  const box = ([start, end]) => `M${x(start)},${CODES}v${-STRIP}H${x(end)}v${STRIP}Z`;
  return draw.path(stretches.map(box).join(""), { fill: ink.lost, stroke: ink.lost });
}

/** The result in print. */
function found({ rule, relu }, { multiplier, fixed, least, ours, theirs, stretches, count }) {
  const differing = stretches.reduce((sum, [from, to]) => sum + to - from, 0);
  const way = ({ steps, code }) => `${decimal(steps, 9)} steps, code ${code}`;
  return [
    ["Multiplier", decimal(multiplier, 5)],
    rule === "fixed" && ["in integers", `${grouped(fixed.whole)} / ${powerOfTwo(fixed.shift)}`],
    ["fbgemm", way(ours)],
    [RULES[rule], way(theirs)],
    ["This sum", ours.code === theirs.code ? "the same code" : "another code"],
    ["Sums with another code, of those not clipped", `${grouped(differing)} of ${grouped(count)}`],
    relu && ["ReLU: codes from", `${least}`],
  ].filter(Boolean);
}

/** Whether the goal is reached, and its words. */
function reached({ goal, relu, zero_point: zero, rule, bits }, { ours, theirs }) {
  if (goal === "all_codes") return [relu && zero === 0, "with a ReLU, let all 256 codes be used."];
  const isTie = Math.abs(ours.steps % 1) === 0.5 && rule === "fixed" && bits === 31;
  const words = "choose 31-bit fixed point. Find a sum that ends in .5 steps with the same code.";
  return [isTie && ours.code === theirs.code, words];
}

/** What changes in the state with an input or the button. */
export function changed(state, name, value) {
  if (name !== "next") return { [name]: value };
  const starts = derive(state).stretches.map(([from]) => from);
  return { total: starts.find((from) => from > state.total) ?? starts[0] };
}

const traits = [...Object.keys(NUMBERS), "zero_point", "relu", "rule", "bits", "goal"];
export default figure({ traits, view, changed, local: { wrong: null } });
