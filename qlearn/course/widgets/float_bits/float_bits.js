// A number's bits: flip them, type a number, and see its neighbours and the end of the format.

import * as draw from "../shared/drawing.js";
import * as field from "../shared/fields.js";
import { figure } from "../shared/figure.js";
import * as formats from "../shared/float_formats.js";
import { html } from "../shared/html.js";
import { decimal, exactly, powerOfTwo, signed } from "../shared/print.js";
import { clamp } from "../shared/quantmath.js";

const { ink } = draw;
const [TOP, LINE, HEIGHT] = [28, 44, 80]; // of a number line, in pixels
const [SIDE, STEPS, AROUND] = [36, 1000, 6]; // pixels beside it; steps of its handle; neighbours
const LARGEST = 3.4028234663852886e38; // of float32; no end of a field: keys would count from it
const OVERFLOW = { saturate: "becomes the end", special: "becomes ∞ or NaN" };
const NAMES = Object.fromEntries(Object.keys(formats.FORMATS).map((name) => [name, name]));

/** What follows from the state: the format, the code, what it means, and all places. */
function derive({ format: name, code: given, number, overflow, scale, from }) {
  const format = formats.FORMATS[name];
  const code = given ?? formats.encode(number, format, overflow, scale);
  const meant = (each) => formats.decode(each, format, scale);
  const at = (place) => meant(formats.codeAt(place, format));
  const value = meant(code);
  const [first, last] = formats.places(format);
  const place = Number.isFinite(value) ? formats.rank(code, format) : undefined;
  const beyond = meant(formats.encode(2 * at(last), format, overflow, scale));
  return { name, format, code, number, scale, meant, at, value, first, last, place, beyond, from };
}

export function view(state) {
  const derived = derive(state);
  return field.panel(
    { name: "float-bits", label: "The bits of a number" },
    controls(state, derived),
    bits(derived),
    field.hint("Press a bit to flip it, drag the dot or press a mark of a line, or type a number."),
    field.columns(
      derived.place !== undefined && numberLine("its neighbours", derived),
      formats.width(derived.format) === 8 && numberLine("all marks", derived), // else too dense
    ),
    field.results(found(derived), { wrong: state.wrong }),
    field.task(isSmallest(derived), "reach the smallest number of E4M3FN above 0.", state.wrong),
  );
}

const isSmallest = ({ name, value }) => name === "E4M3FN" && value === 2 ** -9;

function controls({ format, overflow, scale }, { number, place, first, last, format: { top } }) {
  const [step, beyond] = ["any", { name: "overflow", label: "Beyond the end", options: OVERFLOW }];
  return [
    field.fields(
      field.select({ name: "format", label: "Format", value: format, options: NAMES }),
      field.number({ name: "number", label: "Number", value: number, step }),
      top === "integer"
        ? field.number({ name: "scale", label: "Scale", value: scale, step, min: 1e-6, max: 1e6 })
        : field.select({ ...beyond, value: overflow }),
    ),
    field.buttons(
      field.button({ name: "next", value: -1, text: "Next below", disabled: !(place > first) }),
      field.button({ name: "next", value: 1, text: "Next above", disabled: !(place < last) }),
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
  return html`<div class="qb-buttons qb-bits">${Object.entries(
    top === "integer" ? { integer: 8 } : parts,
  ).map(
    ([part, count]) => html`<div role="group" aria-label=${part}><span>${part}</span>
      <div>${Array.from({ length: count }, bit)}</div></div>`,
  )}</div>`;
}

/**
 * Which marks a number line has, by its name: from which place on, and how many. The neighbours stay
 * while a hand drags among them.
 */
const LINES = {
  "its neighbours": ({ first, last, place, from }) => {
    const stay = Math.abs(place - from - AROUND) <= AROUND;
    return [stay ? from : clamp(place - AROUND, first, last - 2 * AROUND), 2 * AROUND + 1];
  },
  "all marks": ({ first, last }) => [first, last - first + 1],
};

const marksOf = (name, derived) =>
  formats.numbersFrom(...LINES[name](derived), derived.format, derived.scale);

/** Marks at their true distances; the names of the ends stay inside, however long. */
function numberLine(name, derived) {
  const [{ value, number }, marks] = [derived, marksOf(name, derived)];
  const ends = [marks[0], marks.at(-1)];
  const x = draw.across(ends);
  const seen = `${marks.length} numbers of ${derived.name} from ${ends.map(exactly).join(" to ")}`;
  const label = `Number line of ${name}, ${seen}; the dot lies at ${exactly(value)}.`;
  const upright = marks.map((mark) => [x(mark), TOP, LINE]);
  const isAsked = name === "its neighbours" && number > ends[0] && number < ends[1];
  const inward = (i) => ({ ...[draw.start, draw.end][i], dx: [-SIDE, SIDE][i] });
  const [mark, step] = [draw.dot(x(value), LINE, ink.code, { r: 6 }), (ends[1] - ends[0]) / STEPS];
  const held = { name, label: `The number among ${name}`, text: exactly(value), value, step, mark };
  const named = (words, i) => draw.text(100 * i, LINE + 18, words, words.length > 9 && inward(i));
  const picture = [
    draw.line(0, LINE, 100, LINE),
    draw.plot(TOP, LINE - TOP, draw.strokes(upright, { stroke: ink.code })),
    Number.isFinite(value) && draw.text(x(value), TOP - 10, exactly(value), { "font-weight": 700 }),
    isAsked && draw.dot(x(number), LINE, "none", { stroke: ink.real, "stroke-width": 2 }),
    ends.map(exactly).map(named),
    draw.text(50, LINE + 34, name),
    draw.target(name, 0, LINE + 6, "tap"),
  ];
  const handle = Number.isFinite(value) && draw.held({ ...held, domain: ends, at: x, y: LINE });
  return draw.stage({ height: HEIGHT, label, left: SIDE, right: SIDE }, picture, [handle]);
}

/** The result in print; what typed numbers are rounded by is their error. */
function found({ name, format, code, value, number, at, first, last, place, beyond, scale }) {
  const hex = code.toString(16).padStart(formats.width(format) / 4, "0");
  const opening = [`Code 0x${hex} of ${name} is`, exactly(value)];
  const ends = [
    [`${name} ends at`, exactly(at(last))],
    ["Beyond it", exactly(beyond)],
  ];
  if (place === undefined) return [opening, ...ends];
  const next = (other) => (other < first || other > last ? "none" : exactly(at(other)));
  const error = number !== value && ["Error", exactly(value - number)];
  const beside = [
    ["Below it", next(place - 1)],
    ["Above it", next(place + 1)],
  ];
  return [opening, formula(format, code, scale, value), ...beside, error, ...ends].filter(Boolean);
}

/** How the bits make the number: "=", or "≈" where digits are cut, and a product. */
function formula(format, code, scale, value) {
  const { mantissa, bias, top } = format;
  const is = (factor, digits) => (Number(factor.toPrecision(digits)) === factor ? "=" : "≈");
  const step = formats.rank(code, format);
  if (top === "integer")
    return [step * scale === value ? is(scale, 6) : "≈", `${signed(step)} × ${decimal(scale, 6)}`];
  const { sign, raw, fraction } = formats.fields(code, format);
  const significand = (raw > 0 ? 1 : 0) + fraction / 2 ** mantissa;
  const power = powerOfTwo(Math.max(raw, 1) - bias);
  return [is(significand, 11), `${sign ? "−" : ""}${decimal(significand, 11)} × ${power}`];
}

/** What changes in the state: a code brings its number, and a number its code. */
export function changed(state, name, value) {
  const derived = derive(state);
  const { format, code, place, meant, first, last } = derived;
  const to = (next, from) => {
    const number = meant(next);
    return { code: next, from, ...(Number.isFinite(number) && { number }) };
  };
  const [what, which] = name.split(".");
  if (what === "bit") return to(code + (Math.floor(code / 2 ** which) % 2 ? -1 : 1) * 2 ** which);
  if (what === "next") return to(formats.codeAt(clamp(place + value, first, last), format));
  if (name in LINES) {
    const marks = marksOf(name, derived);
    const [start, width] = [marks[0], marks.at(-1) - marks[0]];
    const isTap = Array.isArray(value);
    const asked = isTap ? start + value[0] * width : value;
    const moved = asked - derived.value; // by an arrow key to the next mark, however far it lies
    if (!isTap && !state.pointing && Math.abs(moved) < (2 * width) / STEPS)
      return changed(state, "next", Math.sign(moved));
    const from = isTap || !state.pointing ? undefined : LINES["its neighbours"](derived)[0];
    return to(formats.encode(asked, format, "saturate", state.scale), from);
  }
  const kept = name === "number" ? clamp(value, -LARGEST, LARGEST) : value;
  return { [name]: kept, code: null, from: undefined };
}

const traits = ["format", "number", "code", "overflow", "scale"];
const local = { from: undefined, pointing: false, wrong: null };
export default figure({ traits, view, changed, local });
