// Which method to quantize with: answer the questions, and read why at each fork.

import * as field from "../shared/fields.js";
import { figure } from "../shared/figure.js";
import { html } from "../shared/html.js";
import { follow } from "./path.js";

const AGAIN = "again";
const TASK =
  "find the method for batches of images, by a vision transformer on a processor: a few of its " +
  "inputs are far larger than the rest, and images are at hand.";
const SITE = ".html"; // elsewhere a link must not take the place of the notebook that runs
const RUNS = {
  here: "on this page, on a small model",
  stops: "on this page it stops with an error",
  elsewhere: "by another program, recorded on this page",
};

export function view({ tree, answers, suffix }) {
  const { steps, leaf } = follow(tree, answers);
  const said = steps.flatMap(({ answer }) => answer?.text ?? []);
  const next = steps.find((step) => !step.answer);
  return field.panel(
    { name: "guide", label: "Which method to quantize with" },
    field.hint("Answer the first question for your own model. The questions after it follow."),
    steps.map(fork),
    field.results([
      ["So far:", said.join(" → ") || "nothing"],
      leaf ? ["Method:", tree.leaves[leaf].method] : ["Next:", next.text],
    ]),
    leaf && ending(tree.leaves[leaf], suffix),
    field.buttons(field.button({ name: AGAIN, text: "Start again", disabled: said.length === 0 })),
    field.task(leaf === "smoothquant", TASK),
  );
}

/** A question, its answers as buttons, and the reason of the one that was given. */
const fork = ({
  name,
  text,
  choices,
  answer,
}) => html`<div class="qb-fork" role="group" aria-label=${text}>
  <b>${text}</b>
  <div class="qb-buttons">${choices.map((choice) => chosen(name, choice, answer))}</div>
  <p class="qb-because">${answer?.because}</p>
</div>`;

const chosen = (question, { name, text }, answer) => html`<button type="button" name=${question}
  value=${name} aria-pressed=${`${name === answer?.name}`}>${text}</button>`;

/** A leaf: why, the config, where it runs, and the page that explains it. */
const ending = ({ why, config, page, title, runs, needs }, suffix) => html`<div class="qb-leaf">
  <p>${why}</p>
  <pre tabindex="0" role="region" aria-label="Config"><code>${config}</code></pre>
  <p>${`Run: ${RUNS[runs]}${needs && `. It needs ${needs}`}. Explained in `}<a
    href=${`../${page}${suffix}`}
    target=${suffix === SITE ? undefined : "_blank"}>${title}</a>${"."}</p>
</div>`;

/** What an answer changes; those to later questions stay for the way back. */
export function changed({ tree, answers }, name, value) {
  if (name === AGAIN) return { answers: {}, focus: tree.root }; // a button of the first question
  return name in tree.questions ? { answers: { ...answers, [name]: value } } : {};
}

const local = { suffix: SITE, focus: null };

export default figure({ traits: ["tree", "answers"], view, changed, local });
