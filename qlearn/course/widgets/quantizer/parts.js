// Of each part that a chapter may show: its control, and what hint, results and task speak of.

import * as field from "../shared/fields.js";
import { formatsOf } from "../shared/rulers.js";

const ROUNDINGS = { nearest: "half to even", away: "half away from 0", down: "always down" };

/** What there is without any of them. */
export const RULER = {
  hint: (shifts) =>
    "Drag an end of the blue ruler: that stretches the scale, the step from mark to mark." +
    (shifts ? " Drag its middle: that shifts the zero point." : ""),
  done: ({ maxError }, { goal }) => maxError < goal,
  words: ({ goal }) => `make the largest error smaller than ${goal}.`,
};

export const PARTS = {
  rounding: {
    control: ({ rounding: value, format }) => {
      const named = { name: "rounding", label: "Rounding", disabled: format !== "integer" };
      return field.select({ ...named, value, options: ROUNDINGS });
    },
    hint: () => "Choose a rounding. Drag the ruler. Dots are errors, the dashed line their mean.",
    results: ["Mean error"],
    // Values just beside ties, all on one side, are rounded the same way: their errors add up.
    done: ({ bias, share }, { goal, rounding }) =>
      rounding === "nearest" && share === 0 && Math.abs(bias) > goal,
    words: ({ goal }) => `with half to even, bring the mean error beyond ±${goal}; clip nothing.`,
  },
  format: {
    control: ({ format: value, bits }) =>
      field.select({ name: "format", label: "Marks", value, options: formatsOf(bits) }),
    hint: () => "Choose other marks. Drag an end of the blue ruler: that stretches them.",
    results: ["SQNR"],
    done: ({ sqnr }, { goal }) => sqnr > goal,
    words: ({ goal, bits }) => `bring the SQNR above ${goal} dB, still with ${bits} bits.`,
  },
  channel: {
    control: ({ channel: value, per_channel: each }, { all }) => [
      field.slider({ name: "channel", label: "Channel", value, max: all.length - 1 }),
      field.either("per_channel", "Rulers", each, ["one for each channel", "one for all"]),
    ],
    hint: () => "Go to another channel: how many marks of the ruler are left for its numbers?",
    results: ["SQNR", "Worst channel"],
    done: ({ worst }, { goal }) => worst.sqnr > goal,
    words: ({ goal }) => `bring every channel above ${goal} dB.`,
  },
};
