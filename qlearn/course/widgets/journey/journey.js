// One image on its way through the digits' network: real numbers and integers, step by step.

import { mostOf, placeOf, STEPS, shownPixels, sources, stepsOf } from "../shared/digits_journey.js";
import { largestAt } from "../shared/digits_layers.js";
import * as field from "../shared/fields.js";
import { figure } from "../shared/figure.js";
import { html } from "../shared/html.js";
import { inBlocks, outlines, shaded } from "../shared/matrix.js";
import { fixed, grouped, signed } from "../shared/print.js";
import { clamp, largestSize } from "../shared/quantmath.js";
import { origin } from "./origin.js";

const TASK = "go to the digit, and follow it back to the pixel that it came from.";
const INKS = { 16: "black", 8: "grey", 0: "white" };
const LAST = STEPS.length - 1;
const numbersOf = (step) => STEPS[step].size[0] * STEPS[step].size[1]; // of a channel

export function view(state) {
  const steps = stepsOf(state);
  const { step: number, at } = state;
  return field.panel(
    { name: "journey", label: "One image's journey through the network" },
    controls(state, steps[number]),
    field.hint("Choose a step, and a number in it: below stands what the number was made of."),
    tiles(steps, number, at),
    field.buttons(
      field.button({ name: "last", text: "To the digit" }),
      field.button({ name: "follow", text: "Follow it back", disabled: number === 0 }),
    ),
    field.results(found(steps, state)),
    field.task(state.followed === LAST, TASK),
    number === 0 && brushes(state),
    field.columns(grid(steps[number], state), origin(steps, state)),
  );
}

function controls({ labels, image, drawing, step, at }, { codes }) {
  const images = labels.map((label, i) => `${i + 1}, a ${label}`);
  const options = drawing ? [...images, "your drawing"] : images;
  const value = drawing ? labels.length : image;
  const channels = codes.length / numbersOf(step);
  const channel = { value: placeOf(step, at)[0] + 1, min: 1, max: channels };
  return field.fields(
    field.select({ name: "image", label: "Image", value, options }),
    channels > 1 && field.slider({ name: "channel", label: "Channel", ...channel }),
  );
}

const brushes = ({ ink, draws }) =>
  field.fields(
    field.select({ name: "ink", label: "Ink", value: ink, options: INKS }),
    field.checkbox({ name: "draws", label: "Draw with the mouse, or by taps", value: draws }),
    field.button({ name: "paint", text: "Paint the chosen pixel" }),
    field.button({ name: "empty", text: "An empty image" }),
  );

/** A button for each step, with all its numbers; frames show what the chosen number is made of. */
function tiles(steps, number, at) {
  const framed = sources(number, at);
  const kinds = "each in real numbers and in integers; frames show what one number was made of";
  const alt = `${STEPS.length} steps from the pixels to the codes of ten digits, ${kinds}.`;
  return html`<div class="qb-tiles" role="group" aria-label="Steps" data-alt=${alt}>${steps.map(
    (step, i) => html`<button type="button" name="step" value=${i} aria-pressed=${`${i === number}`}
      ><span>${step.name}</span>${small(step, step.real, "currentColor", framed[i])}${small(
        step,
        step.fromZero,
        undefined,
        framed[i],
      )}</button>`,
  )}</div>`;
}

function small({ size }, numbers, fill, framed = []) {
  const look = { size, across: Math.sqrt(numbers.length / (size[0] * size[1])), fill };
  return shaded(null, numbers, { ...look, over: outlines(framed.map(inBlocks(look))) });
}

/** One channel, a native radio button for each number: above the real one, below the integer. */
function grid(step, { step: number, at, draws }) {
  const count = numbersOf(number);
  const first = count * placeOf(number, at)[0];
  const cell = (_, i) => {
    const place = first + i;
    return html`<label><input type="radio" name="cell" value=${i} checked=${place === at}
        aria-label=${`${where(number, place)}: ${inPrint(step, place).join(", ")}`} />
      <span aria-hidden="true">${step.stage === "fc" && html`${`digit ${i}`}<br />`}
        ${real(step.real[place])}<br /><b>${signed(step.codes[place])}</b></span></label>`;
  };
  const chosen = `${where(number, at)}, is ${inPrint(step, at).join(", in integers ")}`;
  const shades = { size: step.size, gap: 0, reach: largestSize(step.fromZero) };
  return html`<form name="grid" data-alt=${`The ${count} numbers of ${step.name}: the chosen one, ${chosen}.`}><div role="radiogroup" aria-label=${`Numbers of ${step.name}`}
    class=${step.does === "add" ? "qb-grid qb-long" : "qb-grid"}
    data-area=${draws && number === 0 ? "drawn" : null}
    style=${`grid-template-columns: repeat(${step.size[1]}, minmax(0, 1fr))`}>
    ${shaded(null, step.fromZero.slice(first, first + count), shades)}
    ${Array.from({ length: count }, cell)}</div></form>`;
}

const real = (number) => fixed(number, 2);
const inPrint = ({ real: exact, codes }, at) => [real(exact[at]), grouped(codes[at])];

/** A place in words: counted from 1, as people do. */
function where(number, at) {
  if (STEPS[number].stage === "fc") return `digit ${at}`;
  const [channel, row, column] = placeOf(number, at);
  const place = `row ${row + 1}, column ${column + 1}`;
  return number === 0 ? place : `channel ${channel + 1}, ${place}`;
}

function found(steps, { step: number, at, labels, image, drawing }) {
  const [exact, coded] = [steps[LAST].real, steps[LAST].codes].map(largestAt);
  const shows = drawing ? "" : `; it shows a ${labels[image]}`;
  return [
    ["Digit", `${exact} in real numbers, ${coded} in integers${shows}`],
    [`${steps[number].name}, ${where(number, at)}`, inPrint(steps[number], at).join(", ")],
  ];
}

/** What changes in the state; another number or image begins another way back. */
export function changed(state, name, value) {
  const [anew, size, { labels }] = [{ followed: 0, rank: 0 }, numbersOf(state.step), state];
  if (name === "step") return { step: value, at: nearest(state, value), ...anew };
  if (name === "cell") return { at: size * placeOf(state.step, state.at)[0] + value, ...anew };
  if (name === "channel") return { at: size * (value - 1) + (state.at % size), ...anew };
  if (name === "image") return value in labels ? { image: value, drawing: null, followed: 0 } : {};
  if (name === "last") return { step: LAST, at: largestAt(stepsOf(state)[LAST].codes), ...anew };
  if (name === "follow") return followed(state);
  if (name === "paint") return { drawing: painted(state, state.at), followed: 0 };
  if (name === "empty") return { drawing: new Array(64).fill(0), followed: 0 };
  if (name === "drawn") {
    const [column, row] = value.map((share) => clamp(Math.floor(8 * share), 0, 7));
    return { drawing: painted(state, 8 * row + column), at: 8 * row + column, followed: 0 };
  }
  return { [name]: value };
}

/** One step back, along the largest part; a whole way begins at the code of the digit that is read. */
function followed({ followed: steps, ...state }) {
  const { step, at } = state;
  const begins = step === LAST && at === largestAt(stepsOf(state)[LAST].codes);
  const before = { step: step - 1, at: mostOf(stepsOf(state), step, at), rank: 0 };
  return { ...before, followed: begins ? 1 : steps && steps + 1 };
}

/** The same place in another step, where both have the image's rows and columns. */
const nearest = ({ step, at }, other) =>
  step < 5 && other < 5 ? at % (other === 0 ? 64 : 1024) : 0;

const painted = (state, at) =>
  Array.from(shownPixels(state), (pixel) => 16 * pixel).with(at, state.ink);

const traits = "parameters pixels labels ranges image drawing step at rank".split(" ");
const local = { followed: 0, ink: 16, draws: false };
export default figure({ traits, view, changed, local, linked: ["followed"] });
