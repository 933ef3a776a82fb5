// The requantizer: one sum on its way to a code, and the sums whose code depends on the rule.

import { element, keepKeys, onResize, select, slider, svg } from "./drawing.js";
import { button, controlBar, facts, memoized, onChange, panel, resultLine } from "./panel.js";
import { differences, firstSums, nearestSum, prepare, requantizeSum } from "./requantizer_math.js";
import { drawWay, grouped, minus } from "./requantizer_picture.js";

const NAMES = { fixed: "fixed point", qnnpack: "qnnpack", onednn: "onednn" };
const FIELDS = {
  x_scale: ["Scale of x", 0.001, 0.1, 0.001],
  weight_scale: ["Scale of the weight", 0.001, 0.05, 0.001],
  output_scale: ["Scale of the output", 0.01, 1, 0.01],
  bias: ["Bias", -10, 10, 0.1],
};
const TRAITS = ["total", "zero_point", "relu", "rule", "bits", ...Object.keys(FIELDS)];
const MARGIN = 12; // codes beyond 0 and 255 that the line of sums reaches to

function render({ model, el }) {
  const { root, controls, next, picture, result } = build(el, choose);
  const compare = memoized(compareRules); // which does not depend on the sum that is shown
  let state; // what is shown

  function show() {
    const traits = Object.fromEntries(TRAITS.map((name) => [name, model.get(name)]));
    state = { ...traits, ...compute(traits, compare) };
    const { total, ends, rule, bits, zero_point: zeroPoint } = state;
    for (const name of Object.keys(FIELDS)) controls[name].show(traits[name]);
    Object.assign(controls.slide.input, { min: ends[0], max: ends[1] });
    controls.slide.show(total, grouped(total));
    controls.total.show(total);
    controls.zeroPoint.show(zeroPoint, String(zeroPoint));
    controls.relu.input.value = String(traits.relu);
    controls.rule.input.value = rule;
    controls.bits.show(bits, String(bits));
    controls.bits.input.disabled = rule !== "fixed";
    next.disabled = state.stretches.length === 0;
    draw();
    result.replaceChildren(...facts(found(state)));
  }

  function draw() {
    drawWay(picture, state);
  }

  function choose(traits) {
    for (const [name, value] of Object.entries(traits)) model.set(name, value);
    model.save_changes();
  }

  const { slide, zeroPoint, relu, rule, bits } = controls;
  slide.input.addEventListener("input", () => choose({ total: nearestSum(slide.input.value) }));
  zeroPoint.input.addEventListener("input", () => choose({ zero_point: Number(zeroPoint.input.value) }));
  relu.input.addEventListener("change", () => choose({ relu: relu.input.value === "true" }));
  rule.input.addEventListener("change", () => choose({ rule: rule.input.value }));
  bits.input.addEventListener("input", () => choose({ bits: Number(bits.input.value) }));
  next.addEventListener("click", () => {
    const { stretches, total } = state;
    const [from] = stretches.find(([start]) => start > total) ?? stretches[0];
    choose({ total: nearestSum(from) });
  });

  // The model tells of every change, whether it comes from here, from Python or another view.
  show();
  const removers = [onChange(model, TRAITS, show), onResize(picture, draw)];
  return () => {
    removers.forEach((remove) => remove());
    root.remove();
  };
}

/** Everything that is shown and follows from the traits. */
function compute(traits, compare) {
  const { total, rule, zero_point: zeroPoint, bias, relu, bits } = traits;
  const settings = {
    xScale: traits.x_scale,
    weightScale: traits.weight_scale,
    outputScale: traits.output_scale,
    ...{ zeroPoint, bias, relu, bits },
  };
  const compared = compare(settings, rule);
  const [ours, theirs] = ["fbgemm", rule].map((name) =>
    requantizeSum(total, name, compared.prepared),
  );
  return { ...compared, ours, theirs };
}

/** Where the rule and fbgemm differ, over all sums. */
function compareRules(settings, rule) {
  const prepared = prepare(settings);
  const [first, second] = ["fbgemm", rule].map((name) => firstSums(name, prepared));
  const margin = MARGIN / prepared.multiplier;
  return {
    prepared,
    stretches: differences(second, first, prepared),
    sums: first[256] - first[0],
    ends: [nearestSum(first[0] - margin), nearestSum(first[256] + margin)],
  };
}

/** Make the controls, the picture and the line of results. */
function build(el, choose) {
  const root = panel(el, "qb-requantizer", "The requantizer");
  const field = (name, [label, ...range]) =>
    numberField(label, ...range, (number) => choose({ [name]: number }));
  const controls = {
    slide: slider("Sum", 0, 1),
    total: numberField("Sum, typed", -(2 ** 29), 2 ** 29, 1, (number) =>
      choose({ total: nearestSum(number) }),
    ),
    ...Object.fromEntries(Object.entries(FIELDS).map(([name, spec]) => [name, field(name, spec)])),
    zeroPoint: slider("Zero point", 0, 255),
    relu: select("ReLU", [["false", "none"], ["true", "fused"]]),
    rule: select("Compare fbgemm with", Object.entries(NAMES)),
    bits: slider("Bits of the multiplier", 4, 31),
  };
  const next = button("Next difference");
  const picture = svg("svg", { role: "img" });
  const result = resultLine();
  root.append(controlBar(controls, next), picture, result);
  return { root, controls, next, picture, result };
}

/** A labelled number field; what is typed counts only while it is within the bounds. */
function numberField(name, min, max, step, edited) {
  const label = element("label", { className: "qb-control" });
  const input = element("input", { type: "number", min, max, step });
  keepKeys(input);
  input.addEventListener("input", () => {
    const number = input.valueAsNumber;
    const valid = number >= min && number <= max;
    input.setAttribute("aria-invalid", String(!valid));
    if (valid) edited(number);
  });
  label.append(element("span", { textContent: name }), input);
  const show = (number) => {
    // What is being typed stays as it is: 0.050 must not become 0.05 under the cursor.
    if (input.valueAsNumber === number) return;
    input.value = number;
    input.setAttribute("aria-invalid", "false");
  };
  return { label, input, show };
}

/** The result in print. */
function found({ prepared, ours, theirs, stretches, sums, rule, relu }) {
  const { multiplier, fixed } = prepared;
  const differing = stretches.reduce((sum, [from, to]) => sum + to - from, 0);
  const pairs = [["Multiplier", minus(Number(multiplier.toPrecision(5)))]];
  if (rule === "fixed") pairs.push(["in integers", `${grouped(Number(fixed.whole))} / 2^${fixed.shift}`]);
  pairs.push(
    ["fbgemm", way(ours)],
    [NAMES[rule], way(theirs)],
    ["This sum", ours.code === theirs.code ? "the same code" : "another code"],
    ["Sums with another code", `${grouped(differing)} of ${grouped(sums)}`],
  );
  if (relu) pairs.push(["ReLU: codes from", String(prepared.least)]);
  return pairs;
}

const way = ({ steps, code }) => `${minus(Number(steps.toPrecision(9)))} steps, code ${code}`;
export default { render };
