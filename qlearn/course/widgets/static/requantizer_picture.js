// The requantizer's picture: three number lines, one above the other: sums, real numbers, codes.

import { compact, niceTicks, present, widthOf } from "./drawing.js";

const LINES = { sums: 34, reals: 84, codes: 134 }; // their heights in pixels
const HEIGHT = 178;
const SIDE = 14;
const SHOWN = [-12, 267]; // the codes that the picture has room for, clamped ones too
const STRIP = 10; // of sums with another code

/** Draw the way of the sum, and below the codes the sums that the other rule treats otherwise. */
export function drawWay(picture, state) {
  const { prepared, total, stretches, ours, theirs, rule } = state;
  const { multiplier, step, bias, zeroPoint, least } = prepared;
  const width = widthOf(picture);
  const x = (code) => pixel(SIDE + ((code - SHOWN[0]) / (SHOWN[1] - SHOWN[0])) * (width - 2 * SIDE));
  const codeOf = (sum) => (sum + bias / step) * multiplier + zeroPoint;
  const sumOf = (code) => (code - zeroPoint) / multiplier - bias / step;
  const realOf = (code) => (code - zeroPoint) * prepared.outputScale;
  const from = x(Math.min(Math.max(codeOf(total), SHOWN[0]), SHOWN[1]));
  const wanted = width / 90;
  present(
    picture,
    width,
    HEIGHT,
    `Three number lines. The sum ${total} stands for ${compact(total * step + bias)}; fbgemm makes ` +
      `it the code ${ours.code}, ${rule === "fixed" ? "fixed point" : rule} the code ${theirs.code}. ` +
      `${stretches.length} places are marked where the codes differ.`,
  );
  const marks = stretches.map(([start, end]) => {
    const [left, right] = [x(codeOf(start)), x(codeOf(end))];
    return outline(left - 0.5, LINES.codes - STRIP, Math.max(right, left + 1), LINES.codes);
  });
  const [bottom, top] = [x(least - 0.5), x(255.5)];
  picture.innerHTML = [
    box("qb-clipped", 0, LINES.codes - STRIP, bottom, LINES.codes + STRIP),
    box("qb-clipped", top, LINES.codes - STRIP, width, LINES.codes + STRIP),
    `<path class="qb-rq-other" d="${marks.join("")}"/>`,
    line(
      "sum",
      LINES.sums,
      width,
      niceTicks(SHOWN.map(sumOf), wanted).map((t) => [x(codeOf(t)), t]),
      grouped,
    ),
    line(
      "real number",
      LINES.reals,
      width,
      niceTicks(SHOWN.map(realOf), wanted).map((t) => [x(t / prepared.outputScale + zeroPoint), t]),
    ),
    line("code; marked: the codes of these sums differ", LINES.codes, width, [0, zeroPoint, 255].filter(apart(x)).map((t) => [x(t), t])),
    `<path class="qb-grid" d="M${from},${LINES.sums}V${LINES.reals}L${x(ours.code)},${LINES.codes}"/>`,
    dot("qb-band", from, LINES.sums),
    dot("qb-band", from, LINES.reals),
    dot("qb-band", x(ours.code), LINES.codes),
    ours.code === theirs.code ? "" : dot("qb-rq-theirs", x(theirs.code), LINES.codes),
  ].join("");
}

/** A number with a real minus sign. */
export const minus = (number) => String(number).replaceAll("-", "−");

/** A whole number in groups of three digits, with a real minus sign. */
export const grouped = (whole) => minus(whole).replace(/\B(?=(\d{3})+$)/g, "\u202f");

/** Keep a tick when no tick before it would be written over. */
const apart = (x) => (tick, i, ticks) =>
  ticks.every((other, j) => j === i || Math.abs(x(other) - x(tick)) > 28 || tick !== ticks[1]);

function line(name, y, width, ticks, print = compact) {
  const marks = ticks.map(
    ([x, value]) =>
      `<path class="qb-axis" d="M${x},${y}v5"/>` +
      (x > 20 && x < width - 20 ? tickText(x, y + 19, print(value), "middle") : ""),
  );
  return `<path class="qb-axis" d="M0,${y}H${width}"/>${tickText(2, y - 14, name, "start")}${marks.join("")}`;
}

const pixel = (value) => Number(value.toFixed(1));
const dot = (name, x, y) => `<circle class="${name}" cx="${x}" cy="${y}" r="5"/>`;
const outline = (left, top, right, bottom) => `M${left},${top}H${right}V${bottom}H${left}Z`;
const box = (name, ...sides) => `<path class="${name}" d="${outline(...sides)}"/>`;
const tickText = (x, y, text, anchor) => `<text x="${x}" y="${y}" text-anchor="${anchor}">${text}</text>`;
