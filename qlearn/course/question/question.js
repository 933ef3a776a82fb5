// A question that checks its answer: each try gets a sentence, the second different wrong one the
// hint as well, and the third the solution (where there is no hint, the second).

import { figure } from "../widgets/shared/figure.js";
import { html } from "../widgets/shared/html.js";
import { judge, withoutEnd } from "./answers.js";
import { answered, control, prose } from "./controls.js";
import { isSolved, keepSolved } from "./progress.js";

/** What stands in the inputs: `answer` is null until one of them was used. */
const standing = ({ answer, tries }) => answer ?? tries.at(-1) ?? "";

/** How many different answers were tried that are wrong. */
function misses({ asked, tries }) {
  const verdicts = tries.map((text) => judge(asked, text));
  return new Set(verdicts.filter(({ right }) => right === false).map(({ key }) => key)).size;
}

const isRight = ({ asked, tries }) => tries.some((text) => judge(asked, text).right === true);

/** Whether the solution can be opened. */
const isOpen = (state) =>
  state.solved || isRight(state) || misses(state) > (state.asked.hint ? 2 : 1);

/** What is said once, with the try that has unlocked the solution: it appears without a word. */
function news({ asked, tries }) {
  const [now, before] = [tries, tries.slice(0, -1)].map((some) => isOpen({ asked, tries: some }));
  return asked.solution && now && !before && " You can open the solution below.";
}

export function view(state) {
  const { asked, formulas, solved, before } = state;
  return html`<div class=${`qb-widget qb-question ${solved ? "qb-solved" : ""}`}>
    <form name="check" autocomplete="off"><fieldset>
      <legend>${prose(asked.ask, formulas)}${
        before && !solved && html` <small>✓ You have solved this before.</small>`
      }</legend>
      ${control(state, standing(state))}
      <button>Check</button></fieldset></form>
    <output aria-live="polite">${verdict(state)}</output>
    ${solution(state, isOpen(state))}
  </div>`;
}

/** What is said of the last try. */
function verdict(state) {
  const { asked, formulas, tries } = state;
  if (tries.length === 0) return null;
  const text = tries.at(-1).trim();
  const { right, sentence, unfit } = judge(asked, text);
  if (!sentence) return html`<p>${refusal(asked, text, unfit)}</p>`;
  return html`<p><strong>${right ? "✓ Right." : miss(asked, text)}</strong>
    ${" "}${prose(sentence, formulas)}${news(state)}</p>
    ${!right && asked.hint && misses(state) > 1 && hint(asked, formulas)}`;
}

const hint = (asked, formulas) =>
  html`<p><strong>Hint.</strong>${" "}${prose(asked.hint, formulas)}</p>`;

const miss = ({ kind, options }, text) =>
  options.length > 0
    ? "Not yet."
    : `Not ${kind === "place" ? text.replace("-", "−") : withoutEnd(text)}.`;

const refusal = ({ kind, wanted, options }, text, unfit) =>
  text && options.length === 0 && kind !== "place" ? `“${text}” does not fit. ${unfit}` : wanted;

/** The solution, folded; in the edition for students there is none. */
const solution = ({ asked, formulas }, open) =>
  asked.solution &&
  html`<details class=${open ? "" : "qb-locked"}>
  <summary>Solution</summary>
  <p><strong>${prose(`${asked.shown.replace(/\.$/, "")}.`, formulas)}</strong>
    ${" "}${prose(asked.solution, formulas)}</p>
</details>`;

/** What changes with an input, and with the button. */
export function changed(state, name, value) {
  if (name !== "check")
    return { answer: answered({ ...state, answer: standing(state) }, name, value) };
  const tries = [...state.tries, standing(state)];
  return { tries, solved: isRight({ ...state, tries }) };
}

export default figure({
  traits: ["name", "asked", "formulas", "tries", "solved"],
  local: { answer: null, before: false },
  view,
  changed,
  memory: {
    read: ({ name }) => ({ before: isSolved(name) }),
    write: ({ name, solved }) => solved && keepSolved(name),
  },
});
