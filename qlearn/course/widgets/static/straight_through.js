// The straight-through gradient: one weight, its staircase, and what descent makes of it.

import { descend, fakeQuantizeOne } from "./straight_through_math.js";
import { clamp, quantRange } from "./quantmath.js";
import { compact, onResize, slider, svg } from "./drawing.js";
import { button, controlBar, facts, onChange, panel, resultLine } from "./panel.js";
import { drawDescent, drawStairs } from "./straight_through_picture.js";

const WHOLE = 100; // the sliders count hundredths
const TRAITS = ["weight", "target", "scale", "zero_point", "bits"];
const SLIDERS = {
  weight: ["Weight", -200, 200],
  target: ["Target", -200, 200],
  scale: ["Scale", 5, 100],
  zero_point: ["Zero point", -2, 1],
  bits: ["Bits", 2, 8],
};
const REMEMBERED = 60; // steps of descent that the picture shows

function render({ model, el }) {
  const { root, controls, buttons, stairs, descent, result } = build(el);
  let trail = []; // the weights that descent has passed through, the present one last
  let steps = 0;
  let ours = false; // is the change that the model reports a step of descent?

  function state() {
    const [weight, target, scale, zeroPoint, bits] = TRAITS.map((name) => model.get(name));
    const qparams = { scale, zeroPoint, ...quantRange(true, bits) };
    return { weight, target, bits, qparams, ...fakeQuantizeOne(weight, qparams) };
  }

  function show() {
    const now = state();
    const { qparams, bits } = now;
    const { zero_point: zero } = controls;
    zero.input.min = qparams.quantMin; // before the value, which the input would clamp
    zero.input.max = qparams.quantMax;
    zero.show(qparams.zeroPoint, compact(qparams.zeroPoint));
    controls.bits.show(bits, String(bits));
    for (const name of ["weight", "target", "scale"]) {
      controls[name].show(WHOLE * model.get(name), compact(model.get(name)));
    }
    draw(now);
    result.replaceChildren(...facts(found(now, steps)));
  }

  function draw(now = state()) {
    drawStairs(stairs, now);
    const restored = trail.map((x) => fakeQuantizeOne(x, now.qparams).restored);
    drawDescent(descent, { ...now, trail, passed: restored, steps });
  }

  function choose(traits) {
    for (const [name, value] of Object.entries(traits)) model.set(name, value);
    model.save_changes();
  }

  for (const name of TRAITS) {
    controls[name].input.addEventListener("input", () => {
      const value = Number(controls[name].input.value);
      if (name === "bits") {
        const { quantMin, quantMax } = quantRange(true, value);
        choose({ zero_point: clamp(model.get("zero_point"), quantMin, quantMax), bits: value });
      } else choose({ [name]: name === "zero_point" ? value : value / WHOLE });
    });
  }

  function walk(count) {
    const { target, qparams } = state();
    let { weight } = state();
    for (let i = 0; i < count; i++) {
      weight = descend(weight, target, model.get("rate"), qparams);
      trail.push(weight);
    }
    trail = trail.slice(-REMEMBERED - 1);
    steps += count;
    ours = true;
    choose({ weight });
    ours = false;
    show(); // also where the weight stays and the model reports nothing
  }

  buttons.forEach(([start, count]) => start.addEventListener("click", () => walk(count)));

  // Whoever moves anything by hand, here, in Python or in another view, begins a new descent.
  const begin = () => {
    if (ours) return;
    trail = [model.get("weight")];
    steps = 0;
    show();
  };
  begin();
  const removers = [onChange(model, TRAITS, begin), onResize(stairs, () => draw())];
  return () => {
    removers.forEach((remove) => remove());
    root.remove();
  };
}

/** Make the controls, the two pictures and the line of results. */
function build(el) {
  const root = panel(el, "qb-straight", "The straight-through gradient");
  const controls = Object.fromEntries(
    Object.entries(SLIDERS).map(([name, options]) => [name, slider(...options)]),
  );
  const buttons = [[button("One step"), 1], [button("Twenty steps"), 20]];
  const bar = controlBar(controls, ...buttons.map(([start]) => start));
  const [stairs, descent] = [0, 1].map(() => svg("svg", { role: "img" }));
  const result = resultLine();
  root.append(bar, stairs, descent, result);
  return { root, controls, buttons, stairs, descent, result };
}

/** The result in print. */
function found({ weight, target, code, restored, gradient }, steps) {
  return [
    ["At the weight", compact(weight)],
    ["Code", compact(code)],
    ["Fake-quantized", compact(restored)],
    ["Gradient of it", gradient ? "1, passed on" : "0, clipped"],
    ["Error against the target", compact(restored - target)],
    ["Steps", String(steps)],
  ];
}

export default { render };
