// The straight-through gradient's two pictures: the staircase, and the path of the descent.

import { compact, niceTicks, present, widthOf } from "./drawing.js";

const REACH = 2.1; // both pictures show the weights from −REACH to REACH
const SIDE = 34; // heights and margins in pixels
const STAIRS = 190;
const GRADIENT = 26;
const AXIS = 36;
const PATH = 150;
const SHOWN = 60; // steps

/** Draw the staircase, where its gradient is 1 and where 0, and the weight on it. */
export function drawStairs(picture, { weight, target, restored, gradient, qparams }) {
  const width = widthOf(picture);
  const x = across(width);
  const y = (value) => fixed(STAIRS / 2 - (value / REACH) * (STAIRS / 2));
  const [low, high] = passing(qparams).map((value) => x(bounded(value)));
  const [left, right] = [SIDE, width - SIDE];
  const bottom = STAIRS + GRADIENT;
  const says = gradient ? "The gradient is passed on." : "It is clipped, and its gradient is 0.";
  present(
    picture,
    width,
    bottom + AXIS,
    `Staircase of the fake quantization. The weight ${compact(weight)} becomes ` +
      `${compact(restored)}; the target is ${compact(target)}. ${says}`,
  );
  picture.innerHTML = [
    `<path class="qb-clipped" d="M${left},0H${low}V${bottom}H${left}ZM${high},0H${right}V${bottom}H${high}Z"/>`,
    `<path class="qb-st-identity" d="M${x(-REACH)},${y(-REACH)}L${x(REACH)},${y(REACH)}"/>`,
    `<path class="qb-st-stairs" d="${stairs(qparams, x, y)}"/>`,
    line("qb-st-target", left, y(target), right, y(target)),
    line("qb-st-drop", x(weight), y(restored), x(weight), bottom),
    `<circle class="qb-st-here" cx="${x(bounded(weight))}" cy="${y(restored)}" r="5"/>`,
    ...label(left, low, "0"),
    ...label(low, high, "gradient 1"),
    ...label(high, right, "0"),
    ticks(x, bottom, width, "weight"),
    note(left + 4, 12, "fake-quantized", "start"),
    note(right - 4, y(target) + (target < highest(qparams) ? 14 : -5), "target", "end"),
  ].join("");
}

/** Draw the weight and its fake-quantized value step by step. */
export function drawDescent(picture, { target, trail, passed, steps, qparams }) {
  const width = widthOf(picture);
  const first = Math.max(0, steps - SHOWN);
  const x = (step) => fixed(SIDE + ((step - first) / SHOWN) * (width - 2 * SIDE));
  const [low, high] = around([...trail, ...passed, target], qparams.scale);
  const y = (value) => fixed(PATH * (1 - (value - low) / (high - low)));
  const start = steps - trail.length + 1;
  const path = trail.map((value, i) => `${x(start + i)},${y(value)}`).join("L");
  const hops = passed.map((value, i) => `M${x(start + i - 0.4)},${y(value)}H${x(start + i + 0.4)}`);
  const edges = boundaries(qparams, [low, high]).map((value) =>
    line("qb-axis", SIDE, y(value), width - SIDE, y(value)),
  );
  const [from, to] = [trail[0], trail.at(-1)].map(compact);
  present(
    picture,
    width,
    PATH + AXIS,
    steps
      ? `Path of the descent after ${steps} steps: in the last ${trail.length - 1} the weight went ` +
          `from ${from} to ${to}.`
      : "Path of the descent; no step has been taken.",
  );
  const shown = niceTicks([first, first + SHOWN], width < 500 ? 4 : 7);
  picture.innerHTML = [
    ...edges,
    line("qb-st-target", SIDE, y(target), width - SIDE, y(target)),
    `<path class="qb-st-stairs" d="${hops.join("")}"/>`,
    `<path class="qb-st-line" d="M${path}"/>`,
    trail.length ? `<circle class="qb-st-here" cx="${x(steps)}" cy="${y(trail.at(-1))}" r="4"/>` : "",
    `<path class="qb-axis" d="M${SIDE},${PATH}H${width - SIDE}"/>`,
    ...niceTicks([low, high], 5).map((tick) => note(SIDE - 5, y(tick) + 4, compact(tick), "end")),
    ...shown.map((step) => note(x(step), PATH + 16, String(step), "middle")),
    note(width - SIDE, PATH + 32, "step; thin lines: where the code changes", "end"),
  ].join("");
}

/** The ends of the weights whose gradient is passed on: half a step beyond the outer codes. */
const passing = ({ scale, zeroPoint, quantMin, quantMax }) => [
  (quantMin - zeroPoint - 0.5) * scale,
  (quantMax - zeroPoint + 0.5) * scale,
];

/** The largest number that has a code. */
const highest = ({ scale, zeroPoint, quantMax }) => (quantMax - zeroPoint) * scale;

/** A range that holds all values, a step wide at least, with some room. */
function around(values, scale) {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const room = 0.1 * (high - low) + Math.max(0, (scale - (high - low)) / 2);
  return [low - room, high + room];
}

/** The weights between low and high at which the code changes. */
function boundaries({ scale, zeroPoint, quantMin, quantMax }, [low, high]) {
  const all = Array.from(
    { length: quantMax - quantMin },
    (_, i) => (quantMin + i - zeroPoint + 0.5) * scale,
  );
  const shown = all.filter((value) => low < value && value < high);
  return shown.length > 24 ? [] : shown; // more would be a grey wash
}

function stairs({ scale, zeroPoint, quantMin, quantMax }, x, y) {
  let path = `M${x(-REACH)},${y(Math.max((quantMin - zeroPoint) * scale, -2 * REACH))}`;
  for (let code = quantMin; code < quantMax; code++) {
    const edge = (code - zeroPoint + 0.5) * scale;
    if (Math.abs(edge) < REACH) path += `H${x(edge)}V${y((code + 1 - zeroPoint) * scale)}`;
    else if (edge <= -REACH) path = `M${x(-REACH)},${y((code + 1 - zeroPoint) * scale)}`;
  }
  return path + `H${x(REACH)}`;
}

function ticks(x, y, width, name) {
  const marks = niceTicks([-REACH, REACH], width < 500 ? 5 : 9).map(
    (tick) => `<path class="qb-axis" d="M${x(tick)},${y}v5"/>` + note(x(tick), y + 18, compact(tick), "middle"),
  );
  const ends = `<path class="qb-axis" d="M${SIDE},${y}H${width - SIDE}"/>`;
  return ends + marks.join("") + note(width - SIDE, y + 33, name, "end");
}

function label(from, to, text) {
  const room = text.length * 7 + 6;
  return to - from < room ? [] : [note(fixed((from + to) / 2), STAIRS + GRADIENT - 8, text, "middle")];
}

const fixed = (pixels) => Number(pixels.toFixed(1));
const bounded = (value) => Math.min(Math.max(value, -REACH), REACH);
const across = (width) => (value) => fixed(SIDE + ((value + REACH) / (2 * REACH)) * (width - 2 * SIDE));
const line = (name, x1, y1, x2, y2) => `<path class="${name}" d="M${x1},${y1}L${x2},${y2}"/>`;
const note = (x, y, text, anchor) => `<text x="${x}" y="${y}" text-anchor="${anchor}">${text}</text>`;
