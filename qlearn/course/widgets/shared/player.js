// What plays a figure from place to place of one of its traits: back, play or pause, on, and how fast.

import { bareSelect, button, buttons } from "./fields.js";
import { clamp } from "./quantmath.js";

/** The locals of a figure that can be played; `every` is the milliseconds from place to place. */
export const local = { playing: false, still: false, every: 250 };
const SPEEDS = { 1000: "1 a second", 250: "4 a second", 80: "12 a second" };

/** The controls, and `more` buttons; who asked for less motion goes on step by step alone. */
export const player = ({ playing, still, every }, ...more) =>
  buttons(
    button({ name: "back", text: "Back" }),
    !still && button({ name: "play", text: playing ? "Pause" : "Play" }),
    button({ name: "on", text: "Next" }),
    more,
    !still && bareSelect({ name: "every", aria: "Speed", value: every, options: SPEEDS }),
  );

/**
 * What changes with one of these controls, with the clock, or with a handle that is named for the
 * `trait`, whose places are `first` to `last`; null with anything else. It plays again from the end.
 */
export function played(state, trait, [first, last], name, value) {
  const { playing, still, [trait]: at } = state;
  if (name === trait) return { [trait]: value, playing: false };
  if (name === "every") return { every: value };
  if (name === "play" && playing) return { playing: false };
  const next = { back: at - 1, on: at + 1, tick: at + 1, play: at < last ? at + 1 : first }[name];
  if (next === undefined) return null;
  const goesOn = ["play", "tick"].includes(name) && !still && next < last;
  return { [trait]: clamp(next, first, last), playing: goesOn };
}
