// A number's bits: flip them, type a number, and see its neighbours and the end of the format.

import * as draw from "../shared/drawing.js";
import * as field from "../shared/fields.js";
import { figure } from "../shared/figure.js";
import * as formats from "../shared/float_formats.js";
import { html } from "../shared/html.js";
import { decimal, signed } from "../shared/print.js";

const { ink } = draw;
const [TOP, LINE, HEIGHT] = [28, 44, 80]; // of a number line, in pixels
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
    field.hint("Press a bit to flip it, press a mark of the format, or type a number."),
    field.columns(neighbours(derived), whole(derived)),
    field.results(found(derived)),
    field.task(isSmallest(derived), "reach the smallest number of E4M3FN above 0."),
  );
}

const isSmallest = ({ name, value }) => name === "E4M3FN" && value === 2 ** -9;

function controls({ format, overflow, scale }, { number, place, format: { top } }) {
  const [step, disabled] = ["any", place === undefined];
  return [
    field.fields(
      field.select({ name: "format", label: "Format", value: format, options: NAMES }),
      field.number({ name: "number", label: "Number", value: number, step }),
      top === "integer"
        ? field.number({ name: "scale", label: "Scale", value: scale, step, min: 1e-6, max: 1e6 })
        : field.select({
            name: "overflow",
            label: "Beyond the end",
            value: overflow,
            options: OVERFLOW,
          }),
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

/** The number between its neighbours, at their true distances. */
function neighbours({ at, first, last, place, value, number }) {
  if (place === undefined) return null;
  const from = Math.max(first, Math.min(place - AROUND, last - 2 * AROUND));
  const marks = Array.from({ length: 2 * AROUND + 1 }, (_, i) => at(from + i));
  const asked = number > marks[0] && number < marks.at(-1) && number;
  return numberLine("its neighbours", marks, value, asked);
}

/** All marks of a format of eight bits; those of a longer one would run into each other. */
function whole({ format, at, first, last, value }) {
  if (formats.width(format) > 8) return null;
  const marks = Array.from({ length: last - first + 1 }, (_, i) => at(first + i));
  return numberLine("all marks", marks, value, false, draw.target("mark", 0, LINE + 6));
}

function numberLine(name, marks, value, asked, target) {
  const ends = [marks[0], marks.at(-1)];
  const x = draw.across(ends);
  const label = `${name}: from ${print(ends[0])} to ${print(ends[1])}, and ${print(value)}.`;
  const upright = marks.map((mark) => [x(mark), TOP, LINE]);
  const outline = { stroke: ink.real, "stroke-width": 2 };
  return draw.stage({ height: HEIGHT, label, left: 36, right: 36 }, [
    draw.line(0, LINE, 100, LINE),
    draw.plot(TOP, LINE - TOP, draw.strokes(upright, { stroke: ink.code })),
    Number.isFinite(value) && draw.text(x(value), TOP - 10, print(value), { "font-weight": 700 }),
    Number.isFinite(value) && draw.dot(x(value), LINE, ink.code),
    asked !== false && draw.dot(x(asked), LINE, "none", outline),
    ends.map((end) => draw.text(x(end), LINE + 18, print(end))),
    draw.text(50, LINE + 34, name),
    target,
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
  return [opening, ["=", formula(format, code, scale)], ...beside, error, ...ends].filter(Boolean);
}

/** How the bits make the number. */
function formula(format, code, scale) {
  const { mantissa, bias, top } = format;
  if (top === "integer") return `${signed(formats.rank(code, format))} × ${decimal(scale, 6)}`;
  const { sign, raw, fraction } = formats.fields(code, format);
  const significand = (raw > 0 ? 1 : 0) + fraction / 2 ** mantissa;
  const power = `${Math.max(raw, 1) - bias}`.replace("-", "⁻");
  const raised = power.replace(/\d/g, (digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[digit]);
  return `${sign ? "−" : ""}${decimal(significand, 8)} × 2${raised}`;
}

/** A number in print, infinities and NaN too. */
function print(value) {
  if (!Number.isFinite(value)) return signed(value).replace("Infinity", "∞");
  const size = Math.abs(value);
  const long = size !== 0 && (size < 1e-4 || size >= 1e6);
  return long ? signed(value.toExponential(3)) : decimal(value, 9);
}

/** What changes in the state: a code brings its number, and a number its code. */
export function changed(state, name, value) {
  const { format, code, place, meant, at, first, last } = derive(state);
  const to = (next) => ({
    code: next,
    ...(Number.isFinite(meant(next)) && { number: meant(next) }),
  });
  const [what, which] = name.split(".");
  if (what === "bit") return to(code + (Math.floor(code / 2 ** which) % 2 ? -1 : 1) * 2 ** which);
  if (what === "next")
    return to(formats.codeAt(Math.min(Math.max(place + value, first), last), format));
  if (what === "mark") {
    const number = at(first) + value[0] * (at(last) - at(first));
    return to(formats.encode(number, format, "saturate", state.scale));
  }
  return { [name]: value, code: null };
}

export default figure({ traits: ["format", "number", "code", "overflow", "scale"], view, changed });
