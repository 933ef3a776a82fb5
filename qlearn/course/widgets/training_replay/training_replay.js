// A recorded training, played again: move through it, and see where the weights lie.

import * as draw from "../shared/drawing.js";
import { hint, panel, results, task } from "../shared/fields.js";
import { figure } from "../shared/figure.js";
import { PLAYER, played, player } from "../shared/player.js";
import { compact, percent, signed } from "../shared/print.js";
import { rowsOf } from "../shared/quantmath.js";
import { float32Values, histogram, latest } from "../shared/values.js";
import { frameFacts } from "./nearness.js";

const [BARS, TOP, BOTTOM] = [120, 186, 416]; // where the bars end, and the paths begin and end
const BINS_A_STEP = 10;
const TALLEST = 8; // the share of the weights, one in so many, that a bar has its full height for
const { ink } = draw;

/** What follows from the record alone, and from no place in it. */
const recorded = latest((positions, weights, quantMin, quantMax) => {
  const frames = rowsOf(float32Values(positions), weights);
  const grid = { quantMin, quantMax };
  const facts = frames.map((now, i) => frameFacts(now, frames[Math.max(i - 1, 0)], grid));
  const domain = [quantMin - 0.5, quantMax + 1.5]; // room for what is clipped
  const x = draw.across(domain);
  const y = draw.upwards([0, frames.length - 1], TOP, BOTTOM); // downwards
  const path = (_, i) => frames.map((frame, row) => `${x(frame[i])},${y(row)}`); // of a weight
  const counts = facts.map(({ changed: count }) => count);
  return { frames, facts, domain, x, y, paths: Array.from(frames[0], path), counts };
});

function derive({ positions, weights, frame, quant_min, quant_max }) {
  const record = recorded(positions, weights, quant_min, quant_max);
  return { ...record, ...record.facts[frame] };
}

const placeOf = ({ frame, steps }) => ({ at: frame, last: steps.length - 1, next: "Next record" });

export function view(state) {
  const derived = derive(state);
  const done = !state.playing && state.frame === derived.counts.indexOf(0, 1);
  return panel(
    { name: "replay", label: "A training, replayed" },
    player(state, placeOf(state)),
    hint("Go forward, or drag the blue mark. A bar at the right: how many codes changed."),
    picture(state, derived),
    results(found(state, derived), { quiet: state.playing }),
    task(done, "find the first record after step 0 in which no code changes."),
  );
}

/** A histogram of the weights over their grid, above the paths that they took. */
function picture(state, { frames, domain, x, y, paths, counts, nearBoundary }) {
  const { frame, steps, right, images, frozen, weights } = state;
  const last = frames.length - 1;
  const label =
    `Histogram of ${weights} weights over their codes after ${steps[frame]} steps, and the ` +
    `paths that they took. ${percent(nearBoundary, 0)} lie near a boundary; ` +
    `${right[frame]} of ${images} test images are right.`;
  const counted = histogram(frames[frame], domain, BINS_A_STEP * (domain[1] - domain[0]));
  const taken = paths.map((places) => `M${places.slice(0, frame + 1).join("L")}`).join("");
  const step = (row) => draw.text(0, y(row) + 4, steps[row], { ...draw.end, dx: -16 });
  const drawn = [
    draw.bars(counted, x, [0, BARS], () => false, weights / TALLEST),
    grid(state, domain, x),
    draw.plot(TOP, BOTTOM - TOP, draw.path(taken, { stroke: ink.real, "stroke-opacity": 0.55 })),
    draw.line(0, y(frozen), 100, y(frozen), { stroke: "currentColor", "stroke-dasharray": "1 3" }),
    [0, frozen, last].map(step),
    draw.text(0, TOP - 9, "step", { ...draw.end, dx: -16 }),
    draw.text(100, TOP - 9, "codes changed", draw.end),
    draw.plot(TOP, BOTTOM - TOP, changes(counts, frame, y)),
    draw.plot(y(frame) - 4, 8, weightsAt(frames[frame], x, y(frame))),
  ];
  const time = { name: "frame", label: "Step of the training", text: `${steps[frame]}` };
  const handle = draw.held({ ...time, value: frame, domain: [0, last], at: y });
  return draw.stage({ height: BOTTOM + 20, label, left: 48 }, drawn, [handle]);
}

/** The codes, and in red and dashed the boundaries between them. */
function grid({ quant_min: first, quant_max: last }, domain, x) {
  const codes = Array.from({ length: last - first + 1 }, (_, i) => first + i);
  const boundaries = codes.slice(1).map((code) => code - 0.5);
  const upright = (places, rest) =>
    places.map((place) => [
      draw.line(x(place), 0, x(place), BARS, rest),
      draw.line(x(place), TOP, x(place), BOTTOM, rest),
    ]);
  return [
    upright(boundaries, { stroke: ink.lost, "stroke-dasharray": "4 3" }),
    upright(codes, { stroke: ink.code, "stroke-width": 1.5 }),
    draw.axis(domain, BARS, { ticks: codes, print: signed, name: "weight, in steps of its grid" }),
  ];
}

/** A bar for each record so far: how many codes changed in it. */
function changes(counts, frame, y) {
  const share = 16 / (Math.max(...counts) || 1); // of the picture, for a code
  const bars = counts.slice(0, frame + 1).map((count, i) => `M84,${y(i)}h${share * count}`);
  return draw.path(bars.join(""), { stroke: ink.code, "stroke-width": 3 });
}

/** Where the weights are now, a short line for each. */
function weightsAt(positions, x, y) {
  const lines = Array.from(positions, (position) => [x(position), y - 4, y + 4]);
  return draw.strokes(lines, { stroke: "currentColor", "stroke-width": 1.5 });
}

const found = ({ frame, frozen, steps, losses, right, images }, facts) => [
  ["Step", `${steps[frame]}${frame >= frozen ? ", grid frozen" : ""}`],
  ["Loss", losses[frame].toFixed(3)],
  ["Test images right", `${right[frame]} of ${images}`],
  ["Codes changed", compact(facts.changed)],
  ["Near a boundary", percent(facts.nearBoundary)],
  ["Near a code", percent(facts.nearCode)],
];

/** What changes with a button, the mark, the speed, or the clock. */
export function changed(state, name, value) {
  const moved = played(state, placeOf(state), name, value);
  if (moved) return { frame: moved.at, playing: moved.playing };
  return name === "frame" ? { frame: value, playing: false } : { [name]: value };
}

const own = "positions weights steps losses right images quant_min quant_max frozen frame";
export default figure({ traits: own.split(" "), view, changed, local: PLAYER, every: 220 });
