// Native inputs, each with its label. The name is that which `changed` is told of.

import { html } from "./html.js";
import { grouped, signed } from "./print.js";

const ROOMY = 14; // letters, for which half a narrow page has room

/** A row of fields and buttons, as many side by side as there is room for. */
export const fields = (...all) => html`<div class="qb-fields">${all}</div>`;

/** A row of buttons, each as wide as its text. */
export const buttons = (...all) => html`<div class="qb-buttons">${all}</div>`;

const field = (label, control, { text, room, look = "qb-field" } = {}) => html`<label class=${look}>
  <span>${text === undefined ? label : `${label} `}${text && html`<b style=${room}>${text}</b>`}</span>
  ${control}</label>`;

/**
 * A range input; `text` says its value in print and to screen readers. Instead of `min` and `max`
 * it may have `stops`, a list: its value is then a place there. `texts` are long ones that it may
 * come to, for which it keeps room.
 */
export function slider({ name, label, value, stops, min = 0, max = stops.length - 1, ...rest }) {
  const { text = `${stops ? stops[value] : value}`, texts = stops, step = 1, disabled } = rest;
  const input = html`<input type="range" name=${name} aria-label=${label} aria-valuetext=${text}
    min=${min} max=${max} step=${step} value=${value} disabled=${disabled} />`;
  // The label of a wider text may wrap, and the slider would move under the finger.
  const widest = Math.max(...(texts ?? []).map((stop) => `${stop}`.length));
  const room = texts && `display: inline-block; min-width: ${widest}ch`;
  return field(label, input, { text, room });
}

/**
 * A choice among texts: a list, where a value is a place, or an object, where it is a key. Or among
 * [value, text] pairs; values are text, whole numbers, true or false.
 */
export function select({ label, ...input }) {
  const longest = Math.max(...pairs(input.options).map(([, text]) => text.length));
  const look = longest > ROOMY ? "qb-field qb-long" : "qb-field";
  return field(label, bareSelect({ aria: label, ...input }), { look });
}

/** The options of a select: names, one of which is chosen. A name may look like a number. */
export const among = (names, chosen) => ({ value: names.indexOf(chosen), options: names });

/** The same without a label of its own, as inside a line of code; give it an `aria`. */
export const bareSelect = ({ name, value, options, aria, disabled }) =>
  html`<select name=${name} aria-label=${aria} value=${`${value}`} disabled=${disabled}>${pairs(
    options,
  ).map(
    ([each, text]) =>
      html`<option value=${`${each}`} selected=${`${each}` === `${value}`}>${text}</option>`,
  )}</select>`;

const pairs = (options) => (Array.isArray(options[0]) ? options : Object.entries(options));

/** Code that is typed, without a label of its own; `changed` is told of each letter. */
export const bareText = ({ name, value, aria, size = 10, invalid = false }) =>
  html`<input type="text" name=${name} aria-label=${aria} aria-invalid=${`${invalid}`} size=${size}
    spellcheck="false" autocapitalize="off" value=${value} />`;

/** The same with a label; it is as wide as its row. */
export const text = ({ label, ...input }) => field(label, bareText({ aria: label, ...input }));

/** A choice between true and false, each with its words. */
export const either = (name, label, value, [yes, no]) =>
  select({ name, label, value, options: { true: yes, false: no } });

/** A number that is typed; it counts while it lies from min to max, and is whole if step is 1. */
export const number = ({ label, ...input }) => field(label, bareNumber({ aria: label, ...input }));

/**
 * The same without a label of its own, as in the cell of a table; give it an `aria`. With a `step`
 * of 1 it takes whole numbers alone, unless `whole` says otherwise.
 */
export const bareNumber = ({
  name,
  value,
  min,
  max,
  step = 1,
  whole = step === 1,
  aria,
  disabled,
}) =>
  html`<input type="number" name=${name} aria-label=${aria} min=${min} max=${max} step=${step}
    data-whole=${`${whole}`} defaultValue=${value} disabled=${disabled} ref=${(input) => keepTyped(input, value)} />`;

/**
 * What is being typed stays as it is: 0.050 must not become 0.05 under the cursor. A whole number is
 * shown exactly, and of others what float32 tells apart.
 */
function keepTyped(input, value) {
  const told = input?.dataset.whole === "true" ? Number : Math.fround;
  if (!input || told(input.valueAsNumber) === told(value)) return;
  if (input.getAttribute("aria-invalid") === "true" && input === input.ownerDocument.activeElement)
    return;
  input.value = value;
  input.setAttribute("aria-invalid", "false");
}

export const checkbox = ({ name, label, value, disabled }) =>
  html`<label class="qb-checkbox"><input type="checkbox" name=${name} checked=${value}
    disabled=${disabled} /><span>${label}</span></label>`;

/**
 * A button; `changed` is told of its name and its value. One that is `disabled` tells nobody, and
 * keeps the focus: a browser takes it from a button with the attribute of that name.
 */
export const button = ({ name, text, value = "", disabled = false }) =>
  html`<button type="button" name=${name} value=${`${value}`}
    aria-disabled=${disabled ? "true" : null}>${text}</button>`;

/**
 * The line of results, [name, value] pairs, read out whenever it changes; quiet while it plays. In
 * their place it says what is `wrong` with a number that is typed.
 */
export const results = (pairs, { quiet = false, between = " ", end = " ", wrong } = {}) =>
  html`<output class="qb-result" aria-live=${quiet ? "off" : "polite"}>${
    wrong
      ? refusal(wrong)
      : pairs.map(([name, value]) => html`<span>${`${name}${between}`}<b>${value}</b>${end}</span>`)
  }</output>`;

/** What does not count, what the field takes, and what counts instead. */
function refusal({ label, text, counts, range, isWhole }) {
  const inPrint = (end) => (Number.isSafeInteger(end) ? grouped(end) : signed(end));
  const ends = range.length === 2 ? ` from ${range.map(inPrint).join(" to ")}` : "";
  const rule = `${isWhole ? "a whole number" : "a number"}${ends}`;
  return `${label} is ${signed(text)}, but has to be ${rule}. Until you type one, ${signed(counts)} counts.`;
}

/**
 * A table to read: the heads of its columns, of which the first may be empty, and rows of cells, the
 * first of which names its row.
 */
export const table = (heads, rows) => tableLike("qb-table", heads, rows);

/** One as wide as the page, for numbers; a cell may hold a `bareNumber` to edit. */
export const numberTable = (heads, rows, aria) =>
  tableLike("qb-table qb-numbers", heads, rows, aria);

const tableLike = (look, heads, rows, aria) => html`<table class=${look} aria-label=${aria}>
  <thead><tr>${heads.map((head) => (head ? html`<th scope="col">${head}</th>` : html`<td />`))}</tr></thead>
  <tbody>${rows.map(
    ([name, ...cells]) =>
      html`<tr><th scope="row">${name}</th>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>`,
  )}</tbody></table>`;

/** What stands out among the cells of a table. */
export const strong = (text) => html`<b>${text}</b>`;

/** Parts side by side where there is room for each, else one below the other. */
export const columns = (...parts) => html`<div class="qb-columns">${parts}</div>`;

/** What to try first, in a sentence. */
export const hint = (sentence) => html`<p class="qb-hint">${sentence}</p>`;

/**
 * What the reader is to reach, in words that follow "Your task:", and whether it is done; it is not
 * while a number is `wrong`.
 */
export function task(reached, words, wrong) {
  const done = reached && !wrong;
  return html`<p class="qb-task" role="status" data-done=${done ? "" : null}><b>${done ? "✓ Done:" : "Your task:"}</b>${` ${words}`}</p>`;
}

/** The whole widget under its title, which is its name for screen readers too. */
export function panel({ name, label }, ...content) {
  const goal = content.find((part) => part?.props?.class === "qb-task");
  const sign = goal && html`<span data-done=${goal.props["data-done"]}>✓</span>`;
  return html`<div class=${`qb-widget qb-${name}`} role="group" aria-label=${label}>
    <div class="qb-title"><b aria-hidden="true">${label}${sign}</b>
      <a class="qb-link">Link to this state</a></div>${content}</div>`;
}

/** The change that a control makes whose name is that of a trait, or leads to a part: `rows.0.2`. */
export function replaced(state, name, value) {
  const [trait, ...places] = name.split(".");
  return { [trait]: withPart(state[trait], places, value) };
}

function withPart(whole, [place, ...rest], value) {
  if (place === undefined) return value;
  const part = withPart(whole[place], rest, value);
  return Array.isArray(whole) ? whole.with(Number(place), part) : { ...whole, [place]: part };
}
