// Values over a ruler of codes: what they are, what is clipped of them, and what is left.

import * as draw from "./drawing.js";
import { marksOf } from "./marks.js";
import { compact, signed, span } from "./print.js";
import { clamp, extremes } from "./quantmath.js";
import { teeth } from "./sawtooth.js";

const ENDS = { quantMin: "Left end of the ruler", quantMax: "Right end of the ruler" };
export const RULER_ENDS = Object.keys(ENDS);
const MOST_DOTS = 100;

/** The place of a code on the number line, also between two codes. */
export const placeOf = (code, { scale, zeroPoint }) => scale * (code - zeroPoint);

/** Where clipping begins: half a step beyond the first and the last mark, if numbers are rounded. */
export function clipEnds(qparams) {
  const marks = marksOf(qparams);
  return [marks[0].from, marks.at(-1).to];
}

/**
 * The histogram from `top` to `bottom` with what is clipped in red, and the ruler 16 pixels below
 * it; `codes`, one of each value, outline the histogram of what is left.
 */
export function ruled({ bars, domain, qparams, codes = [] }, [top, bottom]) {
  const x = draw.across(domain);
  const ends = clipEnds(qparams);
  return [
    draw.clippedAreas(domain, ends, x, [top, bottom]),
    draw.bars(bars, x, [top, bottom], (value) => value < ends[0] || value > ends[1]),
    comb({ bars, domain, qparams, codes }, x, [top, bottom]),
    draw.ruler(qparams, domain, [bottom + 4, bottom + 16]),
    draw.text(0, top + 13, "values", draw.start),
  ];
}

/**
 * The picture of them, the histogram so many pixels high, over their axis, with handles. `errors`
 * asks for the error that each x would have, below the ruler; `dots` there for those of the values.
 */
export function overRuler(derived, { height, label, errors = false, dots }, handles) {
  const { domain, qparams } = derived;
  const x = draw.across(domain);
  const bottom = height + (errors ? 122 : 22);
  const drawn = [
    errors && draw.clippedAreas(domain, clipEnds(qparams), x, [height, bottom]),
    ruled(derived, [0, height]),
    errors && errorLine(derived, x, [height + 42, bottom], dots),
    draw.axis(domain, bottom),
  ];
  return draw.stage({ height: bottom + 24, label }, drawn, handles);
}

/** x̂ − x against x: a sawtooth inside the range, a straight line where values are clipped. */
function errorLine(derived, x, [top, bottom], dots) {
  const { domain, qparams, maxError } = derived;
  const step = qparams.levels ? qparams.scale * widest(qparams.levels) : qparams.scale;
  const reach = Math.max(maxError, step / 2);
  const y = draw.upwards([-reach, reach], bottom - 3, top + 3);
  const placed = (tooth) => tooth.map(([value, error]) => [x(value), y(error)]).join("L");
  const saw = teeth(qparams, domain).map((tooth) => `M${placed(tooth)}`);
  return [
    draw.line(0, y(0), 100, y(0)),
    draw.plot(top, bottom - top, draw.path(saw.join(""), { stroke: draw.ink.lost })),
    draw.text(0, top - 5, `error, up to ±${compact(reach)}`, draw.start),
    dots && errorsOf(derived, x, y),
  ];
}

const widest = (levels) => Math.max(...levels.slice(1).map((level, i) => level - levels[i]));

/** A dot for the error of each value, if they are few, and their mean as a line. */
function errorsOf({ values, restored, bias }, x, y) {
  const errors = new Map([...values].map((value, i) => [value, restored[i] - value]));
  const mean = { stroke: "currentColor", "stroke-width": 2, "stroke-dasharray": "6 4" };
  const dot = ([value, error]) => draw.dot(x(value), y(error), draw.ink.lost, { r: 3 });
  return [
    errors.size <= MOST_DOTS && [...errors].map(dot),
    draw.line(0, y(bias), 100, y(bias), mean),
  ];
}

/** A column for each code, at the same density as the bars; none where they are too narrow. */
function comb({ bars, domain, qparams, codes }, x, [top, bottom]) {
  const { scale, levels } = qparams;
  if (levels ? levels.length > 100 : scale < 0.01 * (domain[1] - domain[0])) return null;
  const densest = Math.max(...bars.counts) / (bars.edges[1] - bars.edges[0]);
  const y = draw.upwards([0, densest], bottom, top + 16);
  const marks = new Map(marksOf(qparams).map((mark) => [mark.step, mark]));
  const columns = [...tally(codes)].map(([code, count]) => {
    const { from, to } = marks.get(code);
    return `M${x(from)},${bottom}V${y(count / (to - from))}H${x(to)}V${bottom}`;
  });
  return draw.plot(top, bottom - top, draw.path(columns.join(""), { stroke: draw.ink.code }));
}

/** How many values have each code. */
function tally(codes) {
  const counts = new Map();
  for (const code of codes) counts.set(code, (counts.get(code) ?? 0) + 1);
  return counts;
}

/**
 * Handles on the ruler at the height `y`: its ends stretch it around 0, its middle shifts it;
 * `parts` names those that are wanted. An end that is 0 cannot stretch: false keeps its place in
 * the list, so that the others stay in the hand that holds them.
 */
export const rulerHandles = ({ domain, qparams }, y, parts) =>
  parts.map(
    (name) =>
      qparams[name] !== qparams.zeroPoint &&
      (name in ENDS ? endHandle : middleHandle)(name, domain, qparams, y),
  );

/** The scale that brings an end of the ruler to this place, or as near as a scale may be. */
export const scaleFor = (end, place, qparams, { min = 0, max = Infinity } = {}) =>
  clamp(place / (qparams[end] - qparams.zeroPoint), min, max);

function endHandle(name, domain, qparams, y) {
  const covered = span(RULER_ENDS.map((end) => placeOf(qparams[end], qparams)));
  const text = `${covered}, scale ${compact(qparams.scale)}`;
  const value = placeOf(qparams[name], qparams);
  const [low, high] = extremes([...domain, value]); // the farther away it is, the longer its steps
  const step = ((1 - 1e-9) * (high - low)) / 200; // no rounding loses the last
  const named = { name, label: ENDS[name], value, text, step };
  return draw.held({ ...named, domain, at: draw.across(domain), y });
}

/** Its value is the zero point, which falls when the ruler goes to the right. */
function middleHandle(name, domain, qparams, y) {
  const { scale, zeroPoint, quantMin, quantMax } = qparams;
  const middle = (quantMin + quantMax + 1) / 2;
  const lowest = Math.max(quantMin, Math.ceil(middle - domain[1] / scale));
  const highest = Math.min(quantMax, Math.floor(middle - domain[0] / scale));
  const at = (code) => draw.across(domain)(scale * (middle - code));
  const named = { name, label: "Middle of the ruler", value: zeroPoint };
  const text = `zero point ${signed(zeroPoint)}`;
  return draw.held({ ...named, text, domain: [lowest, highest], at, y });
}
