// The clipping threshold: move it, and see the rounding error and the clipping error trade.

import * as draw from "../shared/drawing.js";
import * as field from "../shared/fields.js";
import { figure } from "../shared/figure.js";
import { ownNumbers, ownValues, typedNumbers } from "../shared/own_numbers.js";
import { compact, percent } from "../shared/print.js";
import { largestSize, quantize } from "../shared/quantmath.js";
import { overRuler } from "../shared/ruled.js";
import { errorCurve, qparamsFor, splitMse } from "../shared/two_errors.js";
import { float32Values, histogram, memoized, niceTicks, once } from "../shared/values.js";

const HISTOGRAM = 120; // pixels
const [TOP, BOTTOM, RAIL] = [26, 196, 210]; // in the lower one, whose handle is on the rail
const CLIPPED = 0.02; // of the numbers, for the task
const OWN = "your own"; // numbers, as they stand in the list of data
const CURVES = {
  rounding: { stroke: draw.ink.code, "stroke-width": 2, "stroke-dasharray": "7 4" },
  clipping: { stroke: draw.ink.lost, "stroke-width": 2, "stroke-dasharray": "2 3" },
  sum: { stroke: "currentColor", "stroke-width": 2 },
};

const partOf = once((stored) => memoized((...ends) => float32Values(stored).subarray(...ends)));

/** The thresholds to try on values, and the errors at all of them. */
const dataOf = once((values) => {
  const largest = largestSize(values) || 1;
  const thresholds = Array.from({ length: 123 }, (_, i) => ((i + 3) / 100) * largest);
  const domain = [-thresholds.at(-1), thresholds.at(-1)];
  const curve = memoized((bits) => errorCurve(values, thresholds, bits));
  return { values, largest, thresholds, domain, curve, bars: histogram(values, domain, 100) };
});

/** What follows from the state: the codes, and the errors at its threshold and at all. */
function derive({ values: stored, places, data: name, own, bits, threshold: given }) {
  const [, ...ends] = places.find(([each]) => each === name);
  const data = dataOf(own.length ? ownValues(own) : partOf(stored)(...ends));
  const threshold = given ?? data.largest;
  const qparams = qparamsFor(threshold, bits);
  const { codes, clipped } = quantize(data.values, qparams);
  const now = { threshold, share: clipped / codes.length, ...splitMse(data.values, qparams) };
  return { ...data, ...data.curve(bits), qparams, codes, now };
}

export function view(state) {
  const derived = derive(state);
  const { now, best } = derived;
  const names = [...state.places.map(([name]) => name), ...(state.own.length ? [OWN] : [])];
  const name = state.own.length ? OWN : state.data;
  return field.panel(
    { name: "clipping", label: "The clipping threshold" },
    field.fields(
      field.select({ name: "data", label: "Data", ...field.among(names, name) }),
      field.slider({ name: "bits", label: "Bits", value: state.bits, min: 2, max: 8 }),
      field.button({ name: "best", text: "To the smallest sum" }),
    ),
    ownNumbers(state),
    field.hint("Drag a blue mark: it moves the end of the ruler on both sides."),
    valuesPicture(derived),
    errorsPicture(derived),
    field.results(found(derived)),
    field.task(
      now.sum < 1.01 * best.sum && now.share > CLIPPED,
      `choose data and bits for which the best threshold clips more than ${percent(CLIPPED, 0)} of the numbers, and move it there, to the ring.`,
    ),
  );
}

/** The values over the ruler of codes, and the threshold on both sides of 0. */
function valuesPicture(derived) {
  const { domain, now } = derived;
  const x = draw.across(domain);
  const line = [18, HISTOGRAM + 10]; // below the word "values"
  const left = hold(derived, "Threshold on the left", (threshold) => x(-threshold), line);
  const right = hold(derived, "Threshold on the right", x, line);
  const label = `Histogram of the values, of which ${percent(now.share, 2)} are clipped.`;
  return overRuler(derived, { height: HISTOGRAM, label }, [left, right]);
}

/** Both errors and their sum over all thresholds, on a logarithmic axis. */
function errorsPicture(derived) {
  const { points, best, now, thresholds } = derived;
  const [domain, names] = [[0, thresholds.at(-1)], Object.keys(CURVES)];
  const [x, y, powers] = [draw.across(domain), ...logarithmic(points, best)];
  const at = x(now.threshold);
  const label = "Squared errors of rounding and of clipping, and their sum, for every threshold.";
  const places = (name) => points.map((point) => [x(point.threshold), y(point[name])]);
  const curves = names.map((name) => draw.curve(places(name), CURVES[name]));
  const drawn = [
    names.map((name, i) => [
      draw.line(32 * i, 10, 32 * i + 6, 10, CURVES[name]),
      draw.text(32 * i + 7.5, 14, name, draw.start),
    ]),
    draw.levels(powers, y),
    draw.plot(TOP, BOTTOM - TOP, curves),
    names.map((name) => y(now[name]) <= BOTTOM && draw.dot(at, y(now[name]), "currentColor")),
    draw.dot(x(best.threshold), y(best.sum), "none", { r: 9, stroke: "currentColor" }),
    draw.axis(domain, RAIL + 12, { name: "threshold" }),
  ];
  const held = hold(derived, "Threshold", x, [TOP, RAIL]);
  return draw.stage({ height: RAIL + 52, label, left: 46 }, drawn, [held]);
}

/** A hold on the threshold, with a line down to it. */
function hold({ largest, thresholds, now: { threshold } }, label, at, [top, y]) {
  const domain = [thresholds[0], (1 + 1e-9) * thresholds.at(-1)]; // no rounding loses the last
  const named = { name: "threshold", label, value: threshold, text: compact(threshold) };
  const held = draw.held({ ...named, domain, step: largest / 100, at, y });
  const line = draw.line(at(threshold), top, at(threshold), y, { stroke: "currentColor" });
  return { ...held, mark: [line, held.mark] };
}

/** From an error to its height, and the powers of ten among the errors that are shown. */
function logarithmic(points, best) {
  const highest = Math.max(...points.map(({ sum }) => sum)) || 1;
  const range = [best.sum / 30 || highest / 1e9, 1.3 * highest].map(Math.log10);
  const height = draw.upwards(range, BOTTOM, TOP);
  // No error at all lies endlessly far down: it is drawn below the plot, which cuts it off.
  const y = (error) => height(Math.max(Math.log10(error), range[0] - 1));
  const powers = niceTicks(range, 9).filter(Number.isInteger);
  return [y, powers.map((power) => 10 ** power)];
}

/** The result in print. */
const found = ({ qparams, now, best }) => [
  ["Threshold", compact(now.threshold)],
  ["Scale", compact(qparams.scale)],
  ["Clipped", percent(now.share, 2)],
  ["Rounding error²", compact(now.rounding)],
  ["Clipping error²", compact(now.clipping)],
  ["Sum", compact(now.sum)],
  ["Smallest sum", `${compact(best.sum)} at ${compact(best.threshold)}`],
];

/** What changes in the state; other data start at their largest number. */
export function changed(state, name, value) {
  if (name === "typed") return typedNumbers(value, { threshold: null });
  if (name === "data" && value === state.places.length) return {}; // the reader's own
  if (name === "data")
    return { data: state.places[value][0], own: [], typed: null, threshold: null };
  if (name === "best") return { threshold: derive(state).best.threshold };
  return { [name]: value };
}

const traits = ["values", "places", "data", "own", "bits", "threshold"];
export default figure({ traits, view, changed, local: { typed: null } });
