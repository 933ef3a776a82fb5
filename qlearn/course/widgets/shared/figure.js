// The one module that touches the page and writes the model. A figure is a list of traits and two
// pure functions, view(state) and changed(state, name, value).

import { linkOf } from "./link.js";
import { hydrate, render } from "./vendor/preact.mjs";

const REFUSED = 'input[type="number"][aria-invalid="true"]:focus';
const ON_THE_SITE = ".qb-widget-host"; // where its host script draws; elsewhere pages are notebooks

/**
 * The anywidget of a figure. Its state is the traits and what is `local`: known to this view alone.
 * `changed` is told of each input, button and area by its name, and returns what becomes of the
 * state; its last argument is the state at the opening, for a button that starts again. While the
 * local `playing` is true, it is told of a "tick" `every` so many milliseconds, which a local
 * `speed` divides. The local `suffix` is what the addresses of the book's pages end with, where the
 * figure stands. A `memory` is what the browser keeps: `read(state)` returns what becomes of the
 * locals, `write(state)` hears of changes. The local `wrong` becomes what is the matter with a typed
 * number that does not count, for `results`, as long as it stands there. The local `pointing` is
 * true from the press of a mouse or a finger to that of a key. The local `focus` may become the name
 * of a control, which then gets the focus.
 */
export const figure = ({ traits, view, changed, local = {}, every = 0, memory }) => ({
  opening: (state) => view({ ...local, ...state }), // for the page that Node draws

  render({ model, el }) {
    const own = { ...local };
    if ("suffix" in own && !el.matches(ON_THE_SITE)) own.suffix = ".ipynb";
    const shared = () => Object.fromEntries(traits.map((name) => [name, model.get(name)]));
    const state = () => ({ ...own, ...shared() });
    const link = linkOf(el, shared());
    function draw() {
      if (own.wrong && !el.querySelector(REFUSED)) own.wrong = null; // its field shows what counts
      render(view(state()), el);
      link.write(shared());
    }
    const opening = state();
    let timer;
    let writing = false; // then one drawing follows, whatever the model tells of

    function change(name, value) {
      writing = true;
      for (const [key, next] of Object.entries(changed(state(), name, value, opening))) {
        if (key in own) own[key] = next;
        else model.set(key, next);
      }
      writing = false;
      draw(); // even where nothing changed: an input shows what the reader did to it
      if (own.focus) bringFocus(own.focus);
      model.save_changes(); // now Python's `observe` hears of it
      memory?.write(state());
      clearTimeout(timer);
      if (own.playing) timer = setTimeout(change, every / (own.speed ?? 1), "tick");
    }

    function bringFocus(name) {
      own.focus = null;
      el.querySelector(`[name="${name}"]`)?.focus(); // and the page scrolls to it
    }

    function refuse(input) {
      if (!("wrong" in own)) return;
      own.wrong = matterWith(input);
      draw();
    }

    /** Come to the state that the page's address names; one that cannot be shown changes nothing. */
    function arrive() {
      const given = link.read();
      if (!given || !isShown(() => view({ ...state(), ...given }))) return;
      writing = true;
      for (const [name, value] of Object.entries(given)) model.set(name, value);
      writing = false;
      draw();
      el.scrollIntoView();
    }

    const points = (is) => "pointing" in own && Object.assign(own, { pointing: is });
    const ears = listeners(change, refuse, points);
    const onModel = () => writing || draw(); // Python or another view has changed it
    const end = new AbortController(); // which the listeners take as their options
    for (const [event, hear] of Object.entries(ears)) el.addEventListener(event, hear, end);
    for (const name of traits) model.on(`change:${name}`, onModel);
    hydrate(view(state()), el); // takes over the picture that the page has, or draws the first
    if (memory) {
      Object.assign(own, memory.read(state()));
      draw();
    }
    if ("still" in own && matchMedia("(prefers-reduced-motion: reduce)").matches) {
      own.still = true; // who asked for less motion
      draw();
    }
    link.write(shared());
    window.addEventListener("hashchange", arrive, end);
    arrive();
    return () => {
      end.abort();
      clearTimeout(timer);
      for (const name of traits) model.off(`change:${name}`, onModel);
      render(null, el);
    };
  },
});

/** Whether a view can be drawn at all. */
function isShown(view) {
  try {
    return Boolean(view());
  } catch {
    return false;
  }
}

/** What the figure listens to, and how a name and a value come of it. */
const listeners = (change, refuse, points) => ({
  beforeinput,
  input({ target }) {
    if (!target.name) return;
    if (isUsable(target)) change(target.name, entered(target));
    else refuse(target);
  },
  click(event) {
    const button = event.target.closest("button[name]");
    if (!button) pointed(event, change);
    else if (isOn(button)) change(button.name, literal(button.value));
  },
  pointerdown({ target }) {
    points(true);
    // Chromium gives a range input that is tapped no focus, with which it would take the next tap.
    if (target.type === "range") target.focus({ preventScroll: true });
  },
  // A mouse that drags; on a touch screen the same move scrolls the page.
  pointermove: (event) =>
    event.buttons === 1 && event.pointerType === "mouse" && pointed(event, change, "[data-area]"),
  submit(event) {
    event.preventDefault();
    change(event.target.name);
  },
  keydown(event) {
    points(false);
    event.stopPropagation(); // JupyterLab takes keys for its cells
    if (event.key === "Escape" && event.target.matches(REFUSED)) takeBack(event.target);
  },
});

/** Let the number stand again that counts. */
function takeBack(input) {
  input.value = input.defaultValue;
  input.dispatchEvent(new Event("input", { bubbles: true }));
}

/** Chromium would take the minus sign that pages print, or a decimal comma, and leave it out. */
function beforeinput(event) {
  const { target, data } = event;
  if (target.type !== "number" || !/[−,]/.test(data ?? "")) return;
  event.preventDefault();
  target.ownerDocument.execCommand("insertText", false, plainNumber(data, target.step === "1"));
}

/** A number as its field takes it; whole ones have commas between thousands only. */
export function plainNumber(text, isWhole) {
  const number = text.trim().replaceAll("−", "-");
  const hasThousands = /^-?\d{1,3}(,\d{3})+(\.\d*)?$/.test(number) || (isWhole && number === ",");
  return number.replaceAll(",", hasThousands ? "" : ".");
}

const isOn = (button) => button.getAttribute("aria-disabled") !== "true";

/** Tell of a point in an area of the picture: two shares, from the left and from the top. */
function pointed({ target, clientX, clientY }, change, those = "[data-area], [data-tap]") {
  const area = target.closest(those);
  if (!area) return;
  const { left, top, width, height } = area.getBoundingClientRect();
  change(area.dataset.area ?? area.dataset.tap, [
    (clientX - left) / width,
    (clientY - top) / height,
  ]);
}

/** What there is to say of a number that is none, or that its field does not take. */
const matterWith = ({ ariaLabel, value, validity, defaultValue, min, max, step }) => ({
  label: ariaLabel,
  text: value || (validity.badInput ? "no number" : "empty"),
  counts: defaultValue,
  range: [min, max].filter(Boolean).map(Number),
  isWhole: step === "1",
});

/** What is typed counts only while it is a number that the field takes; else it is marked. */
function isUsable(input) {
  if (input.type !== "number") return true;
  const { rangeUnderflow, rangeOverflow, stepMismatch } = input.validity;
  const whole = input.step !== "1" || !stepMismatch;
  const usable = whole && !rangeUnderflow && !rangeOverflow && !Number.isNaN(input.valueAsNumber);
  input.setAttribute("aria-invalid", String(!usable));
  return usable;
}

function entered(input) {
  if (input.type === "checkbox") return input.checked;
  if (input.type === "text") return input.value;
  return literal(input.value);
}

/** true, false or a number, if that is what the text says, else the text. */
function literal(text) {
  if (text === "true" || text === "false") return text === "true";
  return text.trim() === "" || Number.isNaN(Number(text)) ? text : Number(text);
}
