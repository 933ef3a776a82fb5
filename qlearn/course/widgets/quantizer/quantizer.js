// The quantizer: stretch and shift a ruler of codes, and see what becomes of a tensor.

import * as draw from "../shared/drawing.js";
import * as field from "../shared/fields.js";
import { figure } from "../shared/figure.js";
import { compact, decibels, percent, signed, span } from "../shared/print.js";
import * as math from "../shared/quantmath.js";
import { clipEnds, placeOf, RULER_ENDS, ruled, rulerHandles, scaleFor } from "../shared/ruled.js";
import { teeth } from "../shared/sawtooth.js";
import { float32Values, histogram, memoized, once, padded } from "../shared/values.js";
import { numbersIn } from "./own_numbers.js";

const [HISTOGRAM, GRIPS, ERROR, BOTTOM] = [150, 160, 192, 272]; // heights in pixels

const dataOf = once((values) => {
  const extremes = math.extremes(values);
  const domain = padded([Math.min(extremes[0], 0), Math.max(extremes[1], 0)], 0.15);
  return { values, extremes, domain, bars: histogram(values, domain, 80) };
});

const ownValues = memoized((...own) => Float32Array.from(own));

/** From where to where a scale may be moved, in steps of one unit in its second digit. */
function scales(fitted) {
  const step = 10 ** (Math.floor(Math.log10(fitted.scale)) - 1);
  return { step, min: step, max: 1000 * step };
}

/** What torch's observer chooses, what is shown (the same where nothing was moved), its errors. */
function derive({ values, own, scale, zero_point: zeroPoint, ...kind }) {
  const data = dataOf(own.length ? ownValues(...own) : float32Values(values));
  const fitted = math.chooseQParams(...data.extremes, kind);
  const moved = {
    scale: math.fround(scale ?? fitted.scale),
    zeroPoint: zeroPoint ?? fitted.zeroPoint,
  };
  const qparams = { ...fitted, ...moved };
  const covered = span([qparams.quantMin, qparams.quantMax].map((end) => placeOf(end, qparams)));
  return { ...data, ...math.roundTrip(data.values, qparams), fitted, qparams, covered };
}

export function view(state) {
  const [{ goal }, derived] = [state, derive(state)];
  const shift = state.symmetric ? "" : " Drag its middle: that shifts the zero point.";
  return field.panel(
    { name: "quantizer", label: "The quantizer" },
    !state.simple && [controls(state, derived), ownNumbers(state)],
    field.hint(`Drag an end of the blue ruler: that stretches the scale.${shift}`),
    picture(state, derived),
    field.results(state.simple ? plainly(state, derived) : found(derived)),
    goal && field.task(derived.maxError < goal, `make the largest error smaller than ${goal}.`),
  );
}

function controls({ bits, signed: withSign, symmetric }, { fitted, qparams }) {
  const { scale, zeroPoint, quantMin, quantMax } = qparams;
  const exact = { value: Number(scale.toPrecision(7)), ...scales(fitted) };
  const codes = { value: zeroPoint, min: quantMin, max: quantMax, disabled: symmetric };
  return field.fields(
    field.either("symmetric", "Scheme", symmetric, ["symmetric", "affine"]),
    field.either("signed", "Codes", withSign, ["signed", "unsigned"]),
    field.slider({ name: "bits", label: "Bits", value: bits, min: 2, max: 8 }),
    field.number({ name: "scale", label: "Scale", ...exact }),
    field.number({ name: "zero_point", label: "Zero point", ...codes }),
    field.button({ name: "fit", text: "Fit to the data" }),
  );
}

/** A field for numbers of the reader's own; in it stands what was typed, or what is shown. */
function ownNumbers({ own, typed }) {
  const value = typed ?? own.join(", ");
  const { sentence } = numbersIn(value);
  const named = { name: "typed", label: "Your own numbers", invalid: Boolean(sentence), size: 30 };
  return [field.text({ ...named, value }), sentence && field.hint(sentence)];
}

/** The values over the ruler of codes, and at the bottom the error that each x would have. */
function picture({ symmetric }, derived) {
  const { domain, qparams, maxError } = derived;
  const x = draw.across(domain);
  const parts = symmetric ? RULER_ENDS : [...RULER_ENDS, "zero_point"];
  const label =
    `Histogram of the values over the grid of codes, ${compact(qparams.scale)} apart; ` +
    `below it the error, at most ${compact(maxError)}.`;
  const drawn = [
    draw.clippedAreas(domain, clipEnds(qparams), x, [HISTOGRAM, BOTTOM]),
    ruled(derived, [0, HISTOGRAM]),
    errorLine(derived, x),
    draw.axis(domain, BOTTOM),
  ];
  return draw.stage({ height: BOTTOM + 24, label }, drawn, rulerHandles(derived, GRIPS, parts));
}

/** x̂ − x against x: a sawtooth inside the range, a straight line where values are clipped. */
function errorLine({ domain, qparams, maxError }, x) {
  const reach = Math.max(maxError, qparams.scale / 2);
  const y = draw.upwards([-reach, reach], BOTTOM - 3, ERROR + 3);
  const placed = (tooth) => tooth.map(([value, error]) => [x(value), y(error)]).join("L");
  const saw = teeth(qparams, domain).map((tooth) => `M${placed(tooth)}`);
  return [
    draw.line(0, y(0), 100, y(0)),
    draw.plot(ERROR, BOTTOM - ERROR, draw.path(saw.join(""), { stroke: draw.ink.lost })),
    draw.text(0, ERROR - 5, `error, up to ±${compact(reach)}`, draw.start),
  ];
}

/** The result in print. */
const found = ({ qparams, covered, sqnr, mse, maxError, share }) => [
  ["Codes", `${signed(qparams.quantMin)} … ${qparams.quantMax}`],
  ["stand for", covered],
  ["SQNR", decibels(sqnr, 2)],
  ["MSE", compact(mse)],
  ["Max error", compact(maxError)],
  ["Clipped", percent(share, 2)],
];

/** The two results that a first look needs, and where the ruler lies if it can be shifted. */
function plainly({ symmetric }, derived) {
  const results = found(derived);
  return [...(symmetric ? [] : results.slice(0, 2)), ...results.slice(-2)];
}

/** What changes in the state; another kind of codes is fitted to the values anew. */
export function changed(state, name, value) {
  const anew = { scale: null, zero_point: null };
  if (name === "zero_point") return { zero_point: value };
  if (name === "fit") return anew;
  if (name === "typed") {
    const { numbers } = numbersIn(value);
    return numbers ? { typed: value, own: numbers, ...anew } : { typed: value };
  }
  if (["bits", "signed", "symmetric"].includes(name)) return { [name]: value, ...anew };
  const { fitted, qparams } = derive(state);
  const scale = name === "scale" ? value : scaleFor(name, value, qparams);
  return { scale: math.clamp(scale, scales(fitted).min, scales(fitted).max) };
}

const traits = "values own bits signed symmetric scale zero_point simple goal".split(" ");
export default figure({ traits, view, changed, local: { typed: null } });
