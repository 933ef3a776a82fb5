// The quantizer: stretch and shift a ruler of codes, and see what becomes of a tensor.

import * as field from "../shared/fields.js";
import { figure } from "../shared/figure.js";
import { ownNumbers, ownValues, TYPED, typedNumbers } from "../shared/own_numbers.js";
import { compact, decibels, percent, signed, span } from "../shared/print.js";
import { clamp, extremes, rowsOf } from "../shared/quantmath.js";
import { overRuler, placeOf, RULER_ENDS, rulerHandles, scaleFor } from "../shared/ruled.js";
import { rulersOf } from "../shared/rulers.js";
import { float32Values, histogram, memoized, once, padded } from "../shared/values.js";
import { PARTS, RULER } from "./parts.js";

const RESULTS = {
  Codes: ({ qparams: { quantMin, quantMax, levels } }) =>
    levels ? `${levels.length} numbers` : `${signed(quantMin)} … ${quantMax}`,
  "stand for": ({ qparams }) => span(RULER_ENDS.map((end) => placeOf(qparams[end], qparams))),
  SQNR: ({ sqnr }) => decibels(sqnr, 2),
  MSE: ({ mse }) => compact(mse),
  "Max error": ({ maxError }) => compact(maxError),
  Clipped: ({ share }) => percent(share, 2),
  "Mean error": ({ bias }) => compact(bias),
  "Worst channel": ({ all, worst }) => `${all.indexOf(worst)}, ${decibels(worst.sqnr, 2)}`,
};

const dataOf = once((values) => {
  const domain = padded(extremes([0, ...values]), 0.15);
  return { values, domain, bars: histogram(values, domain, 80) };
});
const rowsIn = once((values) => memoized((columns) => rowsOf(values, columns)));

/** The row that is shown, its ruler, and what becomes of it and of the others. */
function derive({ values, columns, own, ...state }) {
  const rows = own.length ? [ownValues(own)] : rowsIn(float32Values(values))(columns);
  const channel = own.length ? 0 : state.channel;
  return { ...dataOf(rows[channel]), ...rulersOf(rows, { ...state, channel }) };
}

export function view(state) {
  const derived = derive(state);
  const parts = state.parts.map((part) => PARTS[part]);
  const { hint, done, words } = parts[0] ?? RULER;
  const fields = [!state.simple && controls(state, derived)];
  fields.push(...parts.map((part) => part.control(state, derived)));
  return field.panel(
    { name: "quantizer", label: ["The quantizer", ...state.parts].join(": ") },
    fields.some(Boolean) && field.fields(fields),
    !state.simple && ownNumbers(state),
    field.hint(hint(shifts(state))),
    picture(state, derived),
    field.results(results(state, parts, derived), { wrong: state.wrong }),
    state.goal && field.task(done(derived, state) && !state.own.length, words(state), state.wrong),
  );
}

/** Whether there is a zero point to move. */
const shifts = ({ symmetric, format }) => !symmetric && format === "integer";

function controls(state, { scales, qparams }) {
  const [{ bits, signed: withSign, symmetric }, isWhole] = [state, state.format === "integer"];
  const { scale, zeroPoint, quantMin, quantMax } = qparams;
  const exact = { value: Number(scale.toPrecision(7)), ...scales };
  const codes = { value: zeroPoint, min: quantMin, max: quantMax, disabled: symmetric };
  return [
    isWhole && field.either("symmetric", "Scheme", symmetric, ["symmetric", "affine"]),
    isWhole && field.either("signed", "Codes", withSign, ["signed", "unsigned"]),
    field.slider({ name: "bits", label: "Bits", value: bits, min: 2, max: 8 }),
    field.number({ name: "scale", label: "Scale", ...exact, whole: false }),
    isWhole && field.number({ name: "zero_point", label: "Zero point", ...codes }),
    field.button({ name: "fit", text: "Fit to the data" }),
  ];
}

/** The values over the ruler of codes, and at the bottom the error that each x would have. */
function picture(state, derived) {
  const { levels, scale } = derived.qparams;
  const grid = levels ? `${levels.length} marks` : `the grid of codes, ${compact(scale)} apart`;
  const error = compact(derived.maxError);
  const label = `Histogram of the values over ${grid}; below it the error of each x, of the values at most ${error}.`;
  const dots = state.parts.includes("rounding");
  const parts = shifts(state) ? [...RULER_ENDS, "zero_point"] : RULER_ENDS;
  const handles = rulerHandles(derived, 160, parts);
  return overRuler(derived, { height: 150, label, errors: true, dots }, handles);
}

/** The results: all, or those that a first look needs. */
function results(state, parts, derived) {
  const plain = [...(shifts(state) ? ["Codes", "stand for"] : []), "Max error", "Clipped"];
  const first = state.simple ? plain : Object.keys(RESULTS).slice(0, 6);
  const names = new Set([...first, ...parts.flatMap((part) => part.results)]);
  return Array.from(names, (name) => [name, RESULTS[name](derived)]);
}

/** What changes in the state; another kind of codes is fitted to the values anew. */
export function changed(state, name, value) {
  const anew = { scale: null, zero_point: null };
  if (name === "zero_point" || name === "rounding") return { [name]: value };
  if (name === "fit") return anew;
  if (name === "typed") return typedNumbers(value, anew);
  if (name === "channel") return { channel: value, ...(state.per_channel && anew) };
  const { scales, byHand, qparams } = derive(state);
  if (name === "scale") return { scale: clamp(value, scales.min, scales.max) };
  if (RULER_ENDS.includes(name)) return { scale: scaleFor(name, value, qparams, byHand) };
  const integers = name === "bits" && state.format !== "integer" && { format: "integer" };
  return { [name]: value, ...integers, ...anew };
}

const traits =
  "values columns own bits signed symmetric scale zero_point rounding format channel per_channel parts simple goal";
export default figure({ traits: traits.split(" "), view, changed, local: TYPED });
