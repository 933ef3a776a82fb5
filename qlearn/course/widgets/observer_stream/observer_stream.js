// Observers watching a stream: batches arrive one by one, and the reader gives some an outlier.

import * as draw from "../shared/drawing.js";
import * as field from "../shared/fields.js";
import { figure } from "../shared/figure.js";
import { PLAYER, played, player } from "../shared/player.js";
import { compact, counted, decibels, percent, span } from "../shared/print.js";
import { extremes } from "../shared/quantmath.js";
import { float32Values, niceTicks, padded, stepped } from "../shared/values.js";
import { watch } from "./stream.js";

const NAMES = { minmax: "MinMax", moving_average: "moving average", histogram: "histogram" };
const CONSTANTS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1];
const FARTHEST = 6; // times the largest value: so far an outlier can be dragged
const [MIDDLE, TOP, BOTTOM] = [220, 246, 336]; // where the batches end, and the SQNR's ends

export function view(state) {
  const { values, seen, playing, speed, still, ...setting } = state;
  const points = watch(float32Values(values))(setting)(seen);
  return field.panel(
    { name: "stream", label: "An observer and a stream of batches" },
    controls(state),
    field.hint("Let batches come, or drag the blue marks: below, time; at the left, the outlier."),
    picture(state, points),
    field.results(found(state, points.at(-1)), { quiet: playing }),
    field.task(isDone(state, points), "let the moving average end above 24 dB, after an outlier."),
  );
}

const isDone = ({ observer, seen, count, outliers }, points) =>
  observer === "moving_average" && seen === count && outliers.length && points.at(-1).sqnr > 24;
const placesOf = ({ seen, count }) => ({ at: seen, first: 1, last: count, next: "Next batch" });

function controls(state) {
  const { observer, averaging_constant: constant, seen, count } = state;
  const constants = { stops: CONSTANTS, value: CONSTANTS.findIndex((each) => each >= constant) };
  const fixed = { text: compact(constant), disabled: observer !== "moving_average" };
  const hit = { name: "thrown", text: "Next batch, with an outlier", disabled: seen === count };
  const more = [field.button(hit), field.button({ name: "restart", text: "Start over" })];
  return [
    field.fields(
      field.select({ name: "observer", label: "Observer", value: observer, options: NAMES }),
      field.slider({ name: "constant", label: "Averaging constant", ...constants, ...fixed }),
    ),
    player(state, placesOf(state), ...more),
  ];
}

/** Above, each batch's extremes and the observer's range around them; below, the SQNR. */
function picture({ observer, outlier, outliers, seen, count, values }, points) {
  const thrown = outliers.filter((batch) => batch < seen);
  const { domain, step } = valueAxis(points, thrown.length > 0 && float32Values(values));
  const [x, y] = [draw.across([0, count]), draw.upwards(domain, MIDDLE, 0)];
  const { range, sqnr } = points.at(-1);
  const label =
    `The extremes of ${counted(seen, "batch", "batches")}, the ${NAMES[observer]} observer's range after each, now ` +
    `${span(range)}, and below it the signal to noise ratio, now ${decibels(sqnr, 1)}.`;
  const drawn = [
    draw.levels(niceTicks(domain, 5), y, compact, 16),
    draw.plot(0, BOTTOM, remembered(points, x, y)),
    ratios(points, x),
    draw.axis([0, count], BOTTOM + 14, { name: "batches seen" }),
    thrown.map((batch) => draw.dot(x(batch + 0.5), y(outlier), draw.ink.lost, { r: 4 })),
  ];
  const size = { name: "outlier", label: "Outlier", value: outlier, text: compact(outlier) };
  const time = { name: "seen", label: "Batches seen", value: seen, text: `${seen} of ${count}` };
  return draw.stage({ height: BOTTOM + 54, label, left: 48 }, drawn, [
    draw.held({ ...time, domain: [1, count], at: x, y: BOTTOM }),
    thrown.length > 0 && draw.held({ ...size, domain, step, at: y }),
  ]);
}

/** All values so far, or, once there is an outlier, all places that it can be dragged to. */
function valueAxis(points, draggedAmong) {
  const ends = points.flatMap(({ seen, range }) => [0, ...seen, ...range]);
  if (!draggedAmong) return { domain: padded(extremes(ends)) };
  const [low, high] = extremes(draggedAmong);
  return stepped(extremes([...ends, low, FARTHEST * Math.max(-low, high)]));
}

/** The range after each batch, as a band with a step at each, and the batch's own extremes. */
function remembered(points, x, y) {
  const step = (at, i) => [i, i + 1].map((place) => [x(place), at]);
  const [low, high] = [0, 1].map((end) => points.flatMap(({ range }, i) => step(y(range[end]), i)));
  const outlines = [low, high].map((edge) => draw.curve(edge, { stroke: draw.ink.code }));
  const batches = points.map(({ place, seen }) => [x(place + 0.5), ...seen.map(y)]);
  const own = draw.strokes(batches, { stroke: draw.ink.real, "stroke-width": 2 });
  return [draw.area([...high, ...low.toReversed()], draw.ink.code), outlines, own];
}

/** The SQNR after each batch, wherever there is an error at all. */
function ratios(points, x) {
  const measured = points.filter(({ sqnr }) => Number.isFinite(sqnr));
  const { domain } = stepped(extremes([20, 50, ...measured.map(({ sqnr }) => sqnr)]), 10);
  const y = draw.upwards(domain, BOTTOM, TOP);
  const places = measured.map(({ place, sqnr }) => [x(place + 0.5), y(sqnr)]);
  return [
    draw.levels(niceTicks(domain, 3), y, compact, 16),
    draw.text(0, TOP - 6, "SQNR of the typical values, dB", draw.start),
    draw.plot(0, BOTTOM, draw.curve(places, { stroke: "currentColor", "stroke-width": 1.5 })),
    points.at(-1).sqnr < Infinity && draw.dot(...places.at(-1), "currentColor", { r: 3 }),
  ];
}

/** The result in print. */
const found = ({ observer, seen, count, outliers }, point) => [
  ["Batches seen", `${seen} of ${count}`],
  ["This batch", span(point.seen)],
  [`Range of ${NAMES[observer]}`, span(point.range)],
  ["Scale", compact(point.qparams.scale)],
  ["SQNR of typical values", decibels(point.sqnr, 2)],
  ["Clipped", percent(point.share, 2)],
  ["Outliers so far", `${outliers.filter((batch) => batch < seen).length}`],
];

/** What changes with an input, a button, or the clock while batches play. */
export function changed(state, name, value) {
  const { seen, outliers, playing } = state;
  const led = played(state, placesOf(state), name, value);
  const changes = {
    thrown: { seen: seen + 1, outliers: [...new Set([...outliers, seen])] },
    restart: { seen: 1, outliers: [] },
    constant: { averaging_constant: CONSTANTS[value] },
    speed: { speed: value, playing },
  };
  const own = led ? { seen: led.at, playing: led.playing } : changes[name];
  return { playing: false, ...(own ?? { [name]: value }) };
}

const own = "values count batch_size observer averaging_constant outlier outliers seen";
export default figure({ traits: own.split(" "), view, changed, local: PLAYER, every: 250 });
