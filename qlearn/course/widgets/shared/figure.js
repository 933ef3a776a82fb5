// The one module that touches the page and writes the model. A figure is a list of traits and two
// pure functions, view(state) and changed(state, name, value).

import { canShow } from "./arrival.js";
import { linkOf } from "./link.js";
import { keepRoom } from "./room.js";
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
 * of a control, which then gets the focus. The local `still` becomes true for a reader who asked for
 * less motion. Locals that are `linked`, such as how far a reader went, are in the link to the state,
 * as all traits are.
 */
export const figure = ({ traits, view, changed, local = {}, linked = [], every = 0, memory }) => ({
  opening: (state) => view({ ...local, ...state }), // for the page that Node draws
  render: ({ model, el }) =>
    new Shown({ traits, view, changed, linked, every, memory }, { ...local }, model, el).begin(),
});

/** A figure in a page. Its parts are those of `figure`; its `own` state is what is local. */
class Shown {
  end = new AbortController(); // which the listeners take as their options
  writing = false; // then one drawing follows, whatever the model tells of
  onModel = () => this.writing || this.draw(); // Python or another view has changed it

  constructor(parts, own, model, el) {
    Object.assign(this, { parts, own, model, el });
    if ("suffix" in own && !el.matches(ON_THE_SITE)) own.suffix = ".ipynb";
    this.link = linkOf(el, this.told());
    this.opening = this.state();
  }

  /** Draw the figure and listen to its reader; return what takes it away again. */
  begin() {
    this.listen();
    hydrate(this.parts.view(this.state()), this.el); // takes over what the page shows, or draws it
    keepRoom(this.el);
    this.recall();
    this.begun = { ...this.own };
    this.link.write(this.told());
    this.arrive();
    return () => this.leave();
  }

  shared() {
    return Object.fromEntries(this.parts.traits.map((name) => [name, this.model.get(name)]));
  }

  /** What the link tells. */
  told() {
    const known = this.parts.linked.map((name) => [name, this.own[name]]);
    return { ...this.shared(), ...Object.fromEntries(known) };
  }

  state() {
    return { ...this.own, ...this.shared() };
  }

  draw() {
    const { own, el, parts, link } = this;
    if (own.wrong && !el.querySelector(REFUSED)) own.wrong = null; // its field shows what counts
    render(parts.view(this.state()), el);
    keepRoom(el);
    link.write(this.told());
  }

  /** Do what `changed` says of a name and a value, and tell all that keep the state. */
  change(name, value) {
    const { own, model, parts } = this;
    this.put(parts.changed(this.state(), name, value, this.opening));
    if (own.focus) this.bringFocus(own.focus);
    model.save_changes(); // now Python's `observe` hears of it
    parts.memory?.write(this.state());
    this.playOn();
  }

  /** Take new values over, and draw even where none is new: an input shows what was done to it. */
  put(values) {
    const { own, model } = this;
    this.writing = true;
    for (const [name, value] of Object.entries(values)) {
      if (name in own) own[name] = value;
      else model.set(name, value);
    }
    this.writing = false;
    this.draw();
  }

  bringFocus(name) {
    this.own.focus = null;
    this.el.querySelector(`[name="${name}"]`)?.focus(); // and the page scrolls to it
  }

  playOn() {
    const { playing, speed = 1 } = this.own;
    clearTimeout(this.timer);
    if (playing) this.timer = setTimeout(() => this.change("tick"), this.parts.every / speed);
  }

  refuse(input) {
    if (!("wrong" in this.own)) return;
    this.own.wrong = matterWith(input);
    this.draw();
  }

  /** Let the number stand again that counts. */
  takeBack(input) {
    input.value = input.defaultValue;
    input.setAttribute("aria-invalid", "false");
    this.draw();
  }

  /** Keep the area that is pressed; a press beside the figure, which may drag into it, has none. */
  press(target) {
    this.pressed = target.closest("[data-area]");
  }

  points(is) {
    if ("pointing" in this.own) this.own.pointing = is;
  }

  /**
   * Come to the state that the page's address names, with the locals of the beginning: nothing plays,
   * and no draft stays. One that cannot be shown changes nothing.
   */
  arrive() {
    const given = this.link.read();
    if (!given || !canShow(this.parts.view, { ...this.state(), ...this.begun }, given)) return;
    const refused = this.el.querySelector(REFUSED);
    if (refused) this.takeBack(refused);
    this.put({ ...this.begun, ...given });
    this.playOn();
    this.el.scrollIntoView();
  }

  /** Show what this browser keeps, and hold still for a reader who asked for less motion. */
  recall() {
    const { own, parts } = this;
    if (parts.memory) {
      Object.assign(own, parts.memory.read(this.state()));
      this.draw();
    }
    if ("still" in own && matchMedia("(prefers-reduced-motion: reduce)").matches) {
      own.still = true;
      this.draw();
    }
  }

  listen() {
    const { el, end, model, parts } = this;
    for (const [event, hear] of Object.entries(listeners(this)))
      el.addEventListener(event, hear, end);
    window.addEventListener("hashchange", () => this.arrive(), end);
    window.addEventListener("pointerdown", ({ target }) => this.press(target), end);
    for (const name of parts.traits) model.on(`change:${name}`, this.onModel);
  }

  leave() {
    this.end.abort();
    clearTimeout(this.timer);
    for (const name of this.parts.traits) this.model.off(`change:${name}`, this.onModel);
    render(null, this.el);
  }
}

/** What the figure listens to, and how a name and a value come of it. */
const listeners = (shown) => ({
  beforeinput,
  input({ target }) {
    if (!target.name) return;
    if (isUsable(target)) shown.change(target.name, entered(target));
    else shown.refuse(target);
  },
  click(event) {
    const button = event.target.closest("button[name]");
    if (!button && event.detail > 0)
      pointed(event, shown); // a key's click has no place
    else if (button && isOn(button)) shown.change(button.name, literal(button.value));
  },
  pointerdown({ target }) {
    shown.points(true);
    // Chromium gives a range input that is tapped no focus, with which it would take the next tap.
    if (target.type === "range") target.focus({ preventScroll: true });
  },
  // A mouse that drags in the area it pressed; on a touch screen the same move scrolls the page.
  pointermove(event) {
    const drags = event.buttons === 1 && event.pointerType === "mouse";
    if (drags && shown.pressed?.contains(event.target)) pointed(event, shown, "[data-area]");
  },
  // Text may be selected where one presses, and Firefox would drag that.
  dragstart(event) {
    if (shown.pressed) event.preventDefault();
  },
  submit(event) {
    event.preventDefault();
    shown.change(event.target.name);
  },
  keydown(event) {
    shown.points(false);
    event.stopPropagation(); // JupyterLab takes keys for its cells
    if (event.key === "Escape" && event.target.matches(REFUSED)) shown.takeBack(event.target);
  },
});

/** Chromium would take the minus sign that pages print, or a decimal comma, and leave it out. */
function beforeinput(event) {
  const { target, data } = event;
  if (target.type !== "number" || !/[−,]/.test(data ?? "")) return;
  event.preventDefault();
  target.ownerDocument.execCommand("insertText", false, plainNumber(data, isWhole(target)));
}

/**
 * A number as its field takes it, as in 1,234.5 or 1.234,5; whole ones have commas between thousands
 * only.
 */
export function plainNumber(text, isWhole) {
  const number = text.trim().replaceAll("−", "-");
  if (/^-?\d{1,3}(\.\d{3})+,\d*$/.test(number)) return number.replaceAll(".", "").replace(",", ".");
  const grouped = /^-?[1-9]\d{0,2}(,\d{3})+(\.\d*)?$/; // with a 0 before it a comma marks decimals
  return number.replaceAll(",", grouped.test(number) || (isWhole && number === ",") ? "" : ".");
}

const isOn = (button) => button.getAttribute("aria-disabled") !== "true";

/** Tell of a point in an area of the picture: two shares, from the left and from the top. */
function pointed({ target, clientX, clientY }, shown, those = "[data-area], [data-tap]") {
  const area = target.closest(those);
  if (!area) return;
  const { left, top, width, height } = area.getBoundingClientRect();
  shown.change(area.dataset.area ?? area.dataset.tap, [
    (clientX - left) / width,
    (clientY - top) / height,
  ]);
}

/** What there is to say of a number that is none, or that its field does not take. */
function matterWith(input) {
  const { ariaLabel, value, validity, defaultValue, min, max } = input;
  return {
    label: ariaLabel,
    text: value || (validity.badInput ? "no number" : "empty"),
    counts: defaultValue,
    range: [min, max].filter(Boolean).map(Number),
    isWhole: isWhole(input),
  };
}

const isWhole = (input) => input.dataset.whole === "true";

/** What is typed counts only while it is a number that the field takes; else it is marked. */
function isUsable(input) {
  if (input.type !== "number") return true;
  const { rangeUnderflow, rangeOverflow, stepMismatch } = input.validity;
  const whole = !isWhole(input) || !stepMismatch;
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
