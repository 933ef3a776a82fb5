// A number's bits: flip them, type a number, and see its neighbours and the end of the format.

import * as draw from "../shared/drawing.js";
import * as field from "../shared/fields.js";
import { figure } from "../shared/figure.js";
import * as formats from "../shared/float_formats.js";
import { html } from "../shared/html.js";
import { decimal, signed } from "../shared/print.js";
import { clamp } from "../shared/quantmath.js";

const { ink } = draw;
const [TOP, LINE, HEIGHT] = [28, 44, 80]; // of a number line, in pixels
const SIDE = 36; // pixels beside it, for the names of its ends
const AROUND = 6; // so many neighbours are shown on each side
const OVERFLOW = { saturate: "becomes the end", special: "becomes ∞ or NaN" };
const NAMES = Object.fromEntries(Object.keys(formats.FORMATS).map((name) => [name, name]));

/** What follows from the state: the format, the code, what it means, and all places. */
function derive({ format: name, code: given, number, overflow, scale }) {
  const format = formats.FORMATS[name];
  const code = given ?? formats.encode(number, format, overflow, scale);
  const meant = (each) => formats.decode(each, format, scale);
  const at = (place) => meant(formats.codeAt(place, format));
  const value = meant(code);
  const [first, last] = formats.places(format);
  const place = Number.isFinite(value) ? formats.rank(code, format) : undefined;
  const beyond = meant(formats.encode(2 * at(last), format, overflow, scale));
  return { name, format, code, number, scale, meant, at, value, first, last, place, beyond };
}

export function view(state) {
  const derived = derive(state);
  return field.panel(
    { name: "float-bits", label: "The bits of a number" },
    controls(state, derived),
    bits(derived),
    field.hint("Press a bit to flip it, press a mark of a number line, or type a number."),
    field.columns(
      derived.place !== undefined && numberLine("its neighbours", derived),
      formats.width(derived.format) === 8 && numberLine("all marks", derived), // else too dense
    ),
    field.results(found(derived), { wrong: state.wrong }),
    field.task(isSmallest(derived), "reach the smallest number of E4M3FN above 0.", state.wrong),
  );
}

const isSmallest = ({ name, value }) => name === "E4M3FN" && value === 2 ** -9;

function controls({ format, overflow, scale }, { number, place, format: { top } }) {
  const [step, disabled] = ["any", place === undefined];
  const beyond = { name: "overflow", label: "Beyond the end", options: OVERFLOW };
  return [
    field.fields(
      field.select({ name: "format", label: "Format", value: format, options: NAMES }),
      field.number({ name: "number", label: "Number", value: number, step }),
      top === "integer"
        ? field.number({ name: "scale", label: "Scale", value: scale, step, min: 1e-6, max: 1e6 })
        : field.select({ ...beyond, value: overflow }),
    ),
    field.buttons(
      field.button({ name: "next", value: -1, text: "Next below", disabled }),
      field.button({ name: "next", value: 1, text: "Next above", disabled }),
    ),
  ];
}

/** A button for each bit, those of sign, exponent and mantissa together. */
function bits({ format, code }) {
  const { exponent, mantissa, top } = format;
  const parts = { sign: 1, exponent, mantissa };
  let place = formats.width(format);
  const bit = () => {
    const digit = Math.floor(code / 2 ** --place) % 2;
    return html`<button type="button" name=${`bit.${place}`} aria-pressed=${`${digit === 1}`}
      aria-label=${`Bit ${place}: ${digit}`}>${digit}</button>`;
  };
  return html`<div class="qb-bits">${Object.entries(top === "integer" ? { integer: 8 } : parts).map(
    ([part, count]) => html`<div role="group" aria-label=${part}><span>${part}</span>
      <div>${Array.from({ length: count }, bit)}</div></div>`,
  )}</div>`;
}

/** Which marks a number line has, by its name: from which place on, and how many. */
const LINES = {
  "its neighbours": ({ first, last, place }) => {
    return [Math.max(first, Math.min(place - AROUND, last - 2 * AROUND)), 2 * AROUND + 1];
  },
  "all marks": ({ first, last }) => [first, last - first + 1],
};

function marksOf(name, derived) {
  const [from, length] = LINES[name](derived);
  return Array.from({ length }, (_, i) => derived.at(from + i));
}

/** Marks at their true distances; the names of the ends stay inside, however long. */
function numberLine(name, derived) {
  const [{ value, number }, marks] = [derived, marksOf(name, derived)];
  const ends = [marks[0], marks.at(-1)];
  const x = draw.across(ends);
  const seen = `${marks.length} numbers of ${derived.name} from ${ends.map(print).join(" to ")}`;
  const label = `Number line of ${name}, ${seen}; the dot lies at ${print(value)}.`;
  const upright = marks.map((mark) => [x(mark), TOP, LINE]);
  const isAsked = name === "its neighbours" && number > ends[0] && number < ends[1];
  const inward = (i) => ({ ...[draw.start, draw.end][i], dx: [-SIDE, SIDE][i] });
  const named = (words, i) => draw.text(100 * i, LINE + 18, words, words.length > 9 && inward(i));
  return draw.stage({ height: HEIGHT, label, left: SIDE, right: SIDE }, [
    draw.line(0, LINE, 100, LINE),
    draw.plot(TOP, LINE - TOP, draw.strokes(upright, { stroke: ink.code })),
    Number.isFinite(value) && draw.text(x(value), TOP - 10, print(value), { "font-weight": 700 }),
    Number.isFinite(value) && draw.dot(x(value), LINE, ink.code),
    isAsked && draw.dot(x(number), LINE, "none", { stroke: ink.real, "stroke-width": 2 }),
    ends.map(print).map(named),
    draw.text(50, LINE + 34, name),
    draw.target(name, 0, LINE + 6, "tap"),
  ]);
}

/** The result in print; what typed numbers are rounded by is their error. */
function found({ name, format, code, value, number, at, first, last, place, beyond, scale }) {
  const hex = code.toString(16).padStart(formats.width(format) / 4, "0");
  const opening = [`Code 0x${hex} of ${name} is`, print(value)];
  const ends = [
    [`${name} ends at`, print(at(last))],
    ["Beyond it", print(beyond)],
  ];
  if (place === undefined) return [opening, ...ends];
  const next = (other) => (other < first || other > last ? "none" : print(at(other)));
  const error = number !== value && ["Error", print(value - number)];
  const beside = [
    ["Below it", next(place - 1)],
    ["Above it", next(place + 1)],
  ];
  return [opening, formula(format, code, scale), ...beside, error, ...ends].filter(Boolean);
}

/** How the bits make the number: "=", or "≈" where digits are cut, and a product. */
function formula(format, code, scale) {
  const { mantissa, bias, top } = format;
  const is = (factor, digits) => (Number(factor.toPrecision(digits)) === factor ? "=" : "≈");
  if (top === "integer")
    return [is(scale, 6), `${signed(formats.rank(code, format))} × ${decimal(scale, 6)}`];
  const { sign, raw, fraction } = formats.fields(code, format);
  const significand = (raw > 0 ? 1 : 0) + fraction / 2 ** mantissa;
  const power = `${Math.max(raw, 1) - bias}`.replace("-", "⁻");
  const raised = power.replace(/\d/g, (digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[digit]);
  return [is(significand, 11), `${sign ? "−" : ""}${decimal(significand, 11)} × 2${raised}`];
}

/** A number in print, infinities, NaN and −0 too; nine digits tell all of float32 apart. */
function print(value) {
  if (Object.is(value, -0)) return "−0";
  if (!Number.isFinite(value)) return signed(value).replace("Infinity", "∞");
  const size = Math.abs(value);
  const long = size !== 0 && (size < 1e-4 || size >= 1e6);
  return long ? signed(Number(value.toPrecision(9)).toExponential()) : decimal(value, 9);
}

/** What changes in the state: a code brings its number, and a number its code. */
export function changed(state, name, value) {
  const { format, code, place, meant, first, last } = derive(state);
  const to = (next) => ({
    code: next,
    ...(Number.isFinite(meant(next)) && { number: meant(next) }),
  });
  const [what, which] = name.split(".");
  if (what === "bit") return to(code + (Math.floor(code / 2 ** which) % 2 ? -1 : 1) * 2 ** which);
  if (what === "next") return to(formats.codeAt(clamp(place + value, first, last), format));
  if (name in LINES) {
    const marks = marksOf(name, derive(state));
    const pressed = marks[0] + value[0] * (marks.at(-1) - marks[0]);
    return to(formats.encode(pressed, format, "saturate", state.scale));
  }
  return { [name]: value, code: null };
}

const traits = ["format", "number", "code", "overflow", "scale"];
export default figure({ traits, view, changed, local: { wrong: null } });
