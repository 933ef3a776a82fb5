// The straight-through gradient: one weight on its staircase, and where descent leads it.

import * as draw from "../shared/drawing.js";
import * as field from "../shared/fields.js";
import { figure } from "../shared/figure.js";
import { along, PLAYER, played, player, walked } from "../shared/player.js";
import { compact, counted, shortest, signed } from "../shared/print.js";
import { clamp, extremes, quantRange } from "../shared/quantmath.js";
import { clipEnds, RULER_ENDS, rulerHandles, scaleFor } from "../shared/ruled.js";
import { teeth } from "../shared/sawtooth.js";
import { niceTicks, once, padded } from "../shared/values.js";
import { descend, fakeQuantizeOne, placed } from "./descent.js";

const SHOWN = [-2, 2]; // the weights over the staircase, and what a target can be
const [SCALES, RATES] = [0.01, 0.001].map((step) => ({ min: step, max: 1, step }));
const [TOP, STAIRS, RULER, AXIS, PATH] = [20, 220, 248, 260, 170]; // heights in pixels
const [STEPS, MOST] = [60, 1000]; // of a descent: that there is room for, and that are played
const NEAR = (4.5 * (SHOWN[1] - SHOWN[0])) / (STAIRS - TOP); // four pixels and a bit
const TASK = "let the fake-quantized weight stay within 0.02 of the target for twenty steps.";
const BESIDE = { ...draw.end, dx: -15 };
const DASHED = { stroke: "currentColor", "stroke-dasharray": "6 4" };
const { ink } = draw;
const HEAVY = { stroke: ink.code, "stroke-width": 2 };
const placesOf = once((walk) => along(walk, MOST, placed));

/** The weight on its grid, and those that led to it, all as [weight, fake-quantized]. */
function derive({ weight, target, rate, walk: last, scale, zero_point: zeroPoint, bits }) {
  const qparams = { scale, zeroPoint, ...quantRange(true, bits) };
  const [now, settings] = [fakeQuantizeOne(weight, qparams), { target, rate, qparams }];
  const trail = placesOf(last);
  const goesOn = trail.at(-1)[0] === weight && (last.at(-1)?.[1]?.target ?? target) === target;
  const [walk, before] = goesOn ? [last, trail.slice(0, -1)] : [[weight], []];
  const path = [...before, [weight, now.restored]]; // anew where weight or target was moved
  const place = { at: path.length - 1, last: MOST, next: "One step" };
  return { weight, ...settings, settings, ...now, walk, path, place };
}

export function view(state) {
  const derived = derive(state);
  return field.panel(
    { name: "straight", label: "The straight-through gradient" },
    field.fields(
      field.slider({ name: "bits", label: "Bits", value: state.bits, min: 2, max: 8 }),
      field.number({ name: "scale", label: "Scale", value: state.scale, ...SCALES }),
      field.number({ name: "rate", label: "Learning rate", value: state.rate, ...RATES }),
    ),
    player(state, derived.place, field.button({ name: "go", value: 20, text: "Twenty steps" })),
    field.hint("Take steps: where does the weight stay? Drag it, its target, and the ruler below."),
    staircasePicture(derived),
    descentPicture(derived),
    field.results(found(derived), { quiet: state.playing, wrong: state.wrong }),
    field.task(stays(derived), TASK, state.wrong),
  );
}

/** The staircase with the weight on it, and in red how far that is from the target. */
function staircasePicture({ weight, target, restored, gradient, qparams }) {
  const [x, y] = [draw.across(SHOWN), draw.upwards(SHOWN, STAIRS, TOP)];
  const height = y(clamp(restored, ...SHOWN));
  const numbers = `${compact(weight)} becomes ${compact(restored)}, with gradient ${gradient}`;
  const label = `Staircase: the weight ${numbers}; the target is ${compact(target)}.`;
  const drawn = [
    niceTicks(SHOWN, 5).map((tick) => draw.text(0, y(tick) + 4, compact(tick), BESIDE)),
    draw.text(0, RULER + 4, "ruler", BESIDE),
    staircase(qparams, x, y),
    draw.line(0, y(target), 100, y(target), DASHED),
    draw.text(0, y(target) + 16, `target ${compact(target)}`, { ...draw.start, dx: 14 }),
    draw.line(x(weight), height, x(weight), y(target), { stroke: ink.lost, "stroke-width": 3 }),
  ];
  const size = { domain: SHOWN, step: 0.01 };
  const mark = draw.dot(x(weight), height, "currentColor", { r: 8 });
  return draw.stage({ height: AXIS + 44, label, left: 48 }, drawn, [
    draw.held({ ...size, name: "weight", label: "Weight", value: weight, at: x, y: height, mark }),
    draw.held({ ...size, name: "target", label: "Target", value: target, at: y }),
    ...rulerHandles({ domain: SHOWN, qparams }, RULER, [...RULER_ENDS, "zero_point"]),
  ]);
}

/** The stairs over their codes, and the straight line that the gradient takes them for. */
function staircase(qparams, x, y) {
  const at = ([weight, error]) => [x(weight), y(weight + error)]; // the sum: what comes back
  return [
    draw.text(0, 12, "fake-quantized; red: gradient 0", draw.start),
    draw.clippedAreas(SHOWN, clipEnds(qparams), x, [TOP, RULER - 8]),
    draw.line(0, STAIRS, 100, TOP, { stroke: ink.real, "stroke-dasharray": "2 3" }),
    draw.plot(TOP, STAIRS - TOP, draw.curve(teeth(qparams, SHOWN).flat().map(at), HEAVY)),
    draw.ruler(qparams, SHOWN, [RULER - 6, RULER + 6]),
    draw.axis(SHOWN, AXIS, { name: ["weight;", "dotted: as the gradient sees it"] }),
  ];
}

/** The last weights of the descent, and in blue what they were fake-quantized to. */
function descentPicture({ weight, target, path, qparams }) {
  const [steps, first] = [path.length - 1, Math.max(0, path.length - 1 - STEPS)];
  const recent = path.slice(first);
  const near = [-0.5, 0.5].map((half) => weight + half * qparams.scale); // a step is always seen
  const range = padded(extremes([...recent.flat(), ...near, target]));
  const domain = [first, first + STEPS];
  const [x, y] = [draw.across(domain), draw.upwards(range, PATH, TOP)];
  const places = recent.map(([each], i) => [x(first + i), y(each)]);
  const hop = ([, restored], i) => `M${x(first + i - 0.4)},${y(restored)}H${x(first + i + 0.4)}`;
  const [, ...changes] = teeth(qparams, range).map(([[left]]) => y(left));
  const label = `Descent: in ${counted(steps, "step")} from ${compact(path[0][0])} to ${compact(weight)}.`;
  return draw.stage({ height: PATH + 44, label, left: 48 }, [
    draw.text(0, 12, "the weight; blue: fake-quantized", draw.start),
    changes.length <= 24 && changes.map((height) => draw.line(0, height, 100, height)),
    niceTicks(range, 5).map((tick) => draw.text(0, y(tick) + 4, compact(tick), BESIDE)),
    draw.line(0, y(target), 100, y(target), DASHED),
    draw.plot(TOP, PATH - TOP, draw.path(recent.map(hop).join(""), HEAVY)),
    draw.plot(TOP, PATH - TOP, draw.curve(places, { stroke: "currentColor" })),
    draw.dot(x(steps), y(weight), "currentColor"),
    draw.axis(domain, PATH, { name: ["step;", "thin lines: where the code changes"] }),
  ]);
}

const found = ({ weight, target, code, restored, gradient, path, qparams, settings }) => [
  ["At the weight", compact(weight)],
  ["Code", `${signed(code)} of ${signed(qparams.quantMin)} … ${qparams.quantMax}`],
  ["Fake-quantized", compact(restored)],
  ["Target", compact(target)],
  ["Gradient of it", gradient ? "1, passed on" : "0, clipped"],
  ["Next step leads to", compact(descend(weight, settings))],
  ["Steps", `${path.length - 1}`],
];

/** Whether what came back was the target, or nearly, twenty steps long. */
const stays = ({ path, target }) =>
  path.length > 20 && path.slice(-21).every(([, restored]) => Math.abs(restored - target) <= 0.02);

/** What changes in the state; a target that is dragged snaps to a mark. */
export function changed(state, name, value) {
  const derived = derive(state);
  const moved = played(state, derived.place, name, value);
  if (moved) {
    const walk = walked(derived.walk, moved.at, derived.settings);
    return { walk, weight: placesOf(walk).at(-1)[0], playing: moved.playing };
  }
  if (RULER_ENDS.includes(name)) return { scale: scaleFor(name, value, derived.qparams, SCALES) };
  const mark = shortest(fakeQuantizeOne(value, derived.qparams).restored);
  const near = Math.abs(mark - value) <= Math.min(NEAR, state.scale / 4); // half of all stay free
  if (name === "target" && state.pointing && near) return { target: mark };
  if (name !== "bits") return { [name]: value };
  const { quantMin, quantMax } = quantRange(true, value);
  return { bits: value, zero_point: clamp(state.zero_point, quantMin, quantMax) };
}

const local = { ...PLAYER, walk: [], pointing: false, wrong: null };
const traits = ["weight", "target", "scale", "zero_point", "bits", "rate"];
export default figure({ traits, view, changed, local, linked: ["walk"], every: 250 });
