// The row of buttons that plays: one place after the other, back and on, and how fast.

import { bareSelect, button, buttons } from "./fields.js";
import { clamp } from "./quantmath.js";

/** The `local` of a figure that plays. */
export const PLAYER = { playing: false, still: false, speed: 1 };
const SPEEDS = [0.5, 1, 4].map((speed, i) => [speed, ["slow", "normal speed", "fast"][i]]);

/** The row; `next` says what comes. A reader who asked for less motion gets no Play. */
export const player = (
  { playing, still, speed },
  { at, first = 0, last, next = "Next" },
  ...more
) =>
  buttons(
    !still && button({ name: "play", text: playing ? "Pause" : "Play" }),
    button({ name: "go", value: -1, text: "Back", disabled: at <= first }),
    button({ name: "go", value: 1, text: next, disabled: at >= last }),
    more,
    !still && bareSelect({ name: "speed", aria: "Speed", value: speed, options: SPEEDS }),
  );

/** Where a button or the clock leads, and whether it plays on; null for other controls. */
export function played({ playing }, { at, first = 0, last }, name, value) {
  if (name === "play" && playing) return { at, playing: false };
  const steps = { go: value, tick: 1, play: at < last ? 1 : first - at }; // it begins again
  if (!(name in steps)) return null;
  const next = clamp(at + steps[name], first, last);
  return { at: next, playing: name !== "go" && next < last };
}
