// The row of buttons that plays: one place after the other, back and on, and how fast. And the walk
// that a reader takes with it.

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

/**
 * A walk, gone back or on to so many steps. It is [start, [steps, settings], …], which a link holds
 * in few letters; settings that are changed on the way begin another leg.
 */
export function walked([start, ...legs], steps, settings) {
  const by = JSON.stringify(settings);
  const before = JSON.stringify(legs.at(-1)?.[1]) === by ? legs.slice(0, -1) : legs;
  const walk = [start];
  let left = steps;
  for (const [count, ...how] of [...before, [Infinity, settings]]) {
    const taken = Math.min(count, left);
    if (taken > 0) walk.push([taken, ...how]);
    left -= taken;
  }
  return walk;
}

/** The places along it, at most so many steps far; each is `placed` by the last one and settings. */
export function along([start, ...legs], most, placed) {
  const places = [[start]];
  for (const [steps, settings] of legs) {
    places.push(placed(places.pop(), settings, true)); // with the settings of the leg that begins
    for (let i = 0; i < steps && places.length <= most; i++)
      places.push(placed(places.at(-1), settings, false));
  }
  return places;
}

/** Where a button or the clock leads, and whether it plays on; null for other controls. */
export function played({ playing }, { at, first = 0, last }, name, value) {
  if (name === "play" && playing) return { at, playing: false };
  const steps = { go: value, tick: 1, play: at < last ? 1 : first - at }; // it begins again
  if (!(name in steps)) return null;
  const next = clamp(at + steps[name], first, last);
  return { at: next, playing: name !== "go" && next < last };
}
