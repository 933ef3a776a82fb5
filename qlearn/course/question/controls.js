// What the reader answers with: native inputs, one way for each kind of question.

import * as draw from "../widgets/shared/drawing.js";
import { html } from "../widgets/shared/html.js";
import { shortest, signed } from "../widgets/shared/print.js";
import { places } from "./answers.js";

const AXIS = 34; // the height of the number line in its picture, in pixels

/** A text with its `code` and its $formulas$, each as `formulas` has it. */
export const prose = (text, formulas) =>
  text.split(/(`[^`]*`|\$[^$]*\$)/).map((part) => {
    if (part.startsWith("`")) return html`<code>${part.slice(1, -1)}</code>`;
    return part.startsWith("$") ? formula(formulas[part.slice(1, -1)]) : part;
  });

/** A formula as KaTeX has drawn it where the site was built; elsewhere as it is read. */
const formula = (shown) =>
  shown.startsWith("<")
    ? html`<span class="math" dangerouslySetInnerHTML=${{ __html: shown }} />`
    : html`<em>${shown}</em>`;

/** The inputs of a question, with the answer as it stands in them. */
export const control = (state, answer) => CONTROLS[state.asked.kind](state, answer);

const typed = ({ asked }, answer) => html`<label class="qb-typed"><span>${asked.wanted}</span>
  <input type="text" name="typed" value=${answer} size=${asked.right.length > 1 ? 24 : 10}
    autocomplete="off" autocapitalize="off" spellcheck="false" /></label>`;

/** Boxes or radio buttons: a box is named for its place, and radio buttons have theirs as value. */
const chosen = ({ asked, formulas }, answer) => {
  const several = asked.kind === "any_of";
  const option = (text, i) => html`<label class="qb-option">
    <input type=${several ? "checkbox" : "radio"} name=${several ? `among.${i + 1}` : "only"}
      value=${i + 1} checked=${places(answer).includes(i + 1)} />
    <span>${prose(text, formulas)}</span></label>`;
  return html`<p class="qb-wanted">${asked.wanted}</p>${asked.options.map(option)}`;
};

/** Buttons that stay where they are, and show which place each step got by being tapped. */
const ordered = ({ asked, formulas }, answer) => {
  const taken = places(answer);
  const step = (text, i) => {
    const at = taken.indexOf(i + 1) + 1;
    return html`<li><button type="button" name="next" value=${i + 1} aria-pressed=${`${at > 0}`}>
      <b>${at > 0 ? `${at}.` : "–"}</b><span>${prose(text, formulas)}</span></button></li>`;
  };
  return html`<p class="qb-wanted">${asked.wanted}</p>
    <ul class="qb-steps">${asked.options.map(step)}</ul>`;
};

/** A number line with a mark to drag; a tap on the line brings it there. */
const placed = ({ asked }, answer) => {
  const { start, end, step } = asked.line;
  const value = answer === "" ? start : Number(answer);
  const x = draw.across([start, end]);
  const shown = signed(shortest(value));
  const named = { name: "point", label: "Place on the number line", text: shown };
  const mark = draw.held({ ...named, value, domain: [start, end], step, at: x, y: AXIS });
  const picture = [
    draw.target("tapped", 0, 2 * AXIS),
    draw.axis([start, end], AXIS),
    draw.text(x(value), 14, shown),
  ];
  const label = `Number line from ${signed(start)} to ${signed(end)}; the mark is at ${shown}.`;
  return html`<p class="qb-wanted">${asked.wanted}</p>
    ${draw.stage({ height: AXIS + 26, label, left: 20, right: 20 }, picture, [mark])}`;
};

const CONTROLS = {
  number: typed,
  codes: typed,
  one_of: chosen,
  any_of: chosen,
  order: ordered,
  place: placed,
};

/** The answer after an input, a tap or a key on one of these. */
export function answered({ asked, answer }, name, value) {
  const [control, place] = name.split(".");
  const without = (each) => places(answer).filter((other) => other !== each);
  if (control === "only") return `${value}`;
  if (control === "among") return [...without(Number(place)), ...(value ? [place] : [])].join(" ");
  if (control === "next")
    return [...without(value), ...(places(answer).includes(value) ? [] : [value])].join(" ");
  if (control === "point") return `${value}`;
  if (control === "tapped") return `${tapped(asked.line, value[0])}`;
  return value;
}

/** The step of the line that is nearest to this share of it. */
function tapped({ start, end, step }, share) {
  const steps = Math.round(((end - start) * Math.min(Math.max(share, 0), 1)) / step);
  return Number((start + steps * step).toPrecision(12));
}
