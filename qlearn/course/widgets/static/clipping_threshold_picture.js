// The picture of a threshold: what it clips of the values, above what each threshold costs.

import { compact, niceTicks, present, widthOf } from "./drawing.js";

const BARS = 110; // heights in pixels, from top to bottom
const CODES = 14;
const AXIS = 24;
const LEGEND = 30;
const CURVES = 170;
const SIDE = 6; // margin left and right
const TICKS = 34; // room for the numbers beside the curves
const TOP = BARS + CODES + AXIS + LEGEND; // of the curves
const BOTTOM = TOP + CURVES;

/** Draw into the svg; `bars` is the histogram over `domain`, `points` the error curve. */
export function drawClipping(picture, state) {
  const width = widthOf(picture);
  const { domain, scale, quantMin, quantMax, threshold, rounding, clipping } = state;
  present(
    picture,
    width,
    BOTTOM + AXIS + 16,
    `Histogram of the values, clipped beyond ${compact(threshold)}; below it the squared error ` +
      `of rounding, now ${compact(rounding)}, that of clipping, now ${compact(clipping)}, ` +
      "and their sum, for every threshold.",
  );
  const perUnit = (width - 2 * SIDE) / (domain[1] - domain[0]);
  const x = (value) =>
    fixed(SIDE + perUnit * (Math.min(Math.max(value, domain[0]), domain[1]) - domain[0]));
  // Beyond half a step outside the first and last code a value is clipped.
  const ends = [scale * (quantMin - 0.5), scale * (quantMax + 0.5)];
  const upper = { ...state, width, x, ends, stepPixels: perUnit * scale };
  const lower = { ...state, width, ...curveAxes(state, width) };
  picture.innerHTML = [
    ...[clippedAreas, bothBars, codeLines, valueAxis].map((part) => part(upper)),
    ...[legend, errorGrid, errorLines, markers].map((part) => part(lower)),
  ].join("");
}

function clippedAreas({ domain, ends, x }) {
  const areas = [[domain[0], ends[0]], [ends[1], domain[1]]];
  return areas
    .filter(([from, to]) => from < to)
    .map(([from, to]) => `<path class="qb-clipped" d="${box(x(from), 0, x(to), BARS)}"/>`)
    .join("");
}

/** The histogram, and in another colour those bars that are clipped. */
function bothBars({ bars, ends, x }) {
  const tallest = Math.max(...bars.counts);
  const path = { inside: "", outside: "" };
  bars.counts.forEach((count, i) => {
    if (count === 0) return;
    const middle = (bars.edges[i] + bars.edges[i + 1]) / 2;
    const top = Math.min(BARS - (count / tallest) * (BARS - 16), BARS - 2); // one is visible too
    const column = box(x(bars.edges[i]), fixed(top), x(bars.edges[i + 1]), BARS);
    path[middle < ends[0] || middle > ends[1] ? "outside" : "inside"] += column;
  });
  return (
    `<path class="qb-bars" d="${path.inside}"/><path class="qb-ct-tail" d="${path.outside}"/>` +
    `<text x="${SIDE + 2}" y="13">values</text>`
  );
}

/** A line for each code, or a band where they are too dense to tell apart. */
function codeLines({ domain, scale, quantMin, quantMax, stepPixels, x }) {
  const first = Math.max(quantMin, Math.ceil(domain[0] / scale));
  const last = Math.min(quantMax, Math.floor(domain[1] / scale));
  const [top, bottom] = [BARS + 3, BARS + CODES - 1];
  if (stepPixels < 2.5)
    return `<path class="qb-band" d="${box(x(first * scale), top, x(last * scale), bottom)}"/>`;
  let path = "";
  for (let code = first; code <= last; code++) path += `M${x(code * scale)},${top}V${bottom}`;
  return `<path class="qb-grid" d="${path}"/>`;
}

function valueAxis({ domain, width, x }) {
  const y = BARS + CODES;
  return horizontal(niceTicks(domain, width < 500 ? 5 : 9), x, y, SIDE, width - SIDE);
}

/** Where a threshold and an error lie; the errors are on a logarithmic axis. */
function curveAxes({ points, best }, width) {
  const right = points.at(-1).threshold;
  const highest = Math.max(...points.map((point) => point.sum));
  const [low, high] = [Math.log10(best.sum / 30 || 1e-12), Math.log10(highest * 1.3 || 1)];
  const perUnit = (width - SIDE - TICKS) / right;
  return {
    low,
    high,
    right,
    at: (threshold) => fixed(TICKS + perUnit * Math.min(threshold, right)),
    y: (error) => {
      const part = (Math.log10(Math.max(error, 1e-60)) - low) / (high - low);
      return fixed(BOTTOM - CURVES * part); // below the picture, where an error is very small
    },
  };
}

function legend() {
  const y = TOP - 10;
  let left = SIDE;
  return ["rounding", "clipping", "sum"]
    .map((name) => {
      const line = `<path class="qb-ct-${name}" d="M${left},${y - 4}h26"/>`;
      const words = `<text x="${left + 31}" y="${y}">${name}</text>`;
      left += 96;
      return line + words;
    })
    .join("");
}

function errorGrid({ low, high, right, width, at, y }) {
  const powers = [];
  for (let power = Math.ceil(low); power <= high; power++) powers.push(power);
  const lines = powers.map(
    (power) =>
      `<path class="qb-axis" d="M${TICKS},${y(10 ** power)}H${width - SIDE}"/>` +
      `<text x="${TICKS - 5}" y="${y(10 ** power) + 4}" text-anchor="end">10${raised(power)}</text>`,
  );
  const ticks = niceTicks([0, right], width < 500 ? 5 : 9);
  return (
    lines.join("") +
    horizontal(ticks, at, BOTTOM, TICKS, width - SIDE) +
    `<text x="${width - SIDE}" y="${BOTTOM + AXIS + 12}" text-anchor="end">threshold</text>`
  );
}

/** The three curves, in an svg of their own that cuts off what lies below it. */
function errorLines({ points, width, at, y }) {
  const lines = ["rounding", "clipping", "sum"].map((name) => {
    const path = points.map((point) => `${at(point.threshold)},${y(point[name])}`).join("L");
    return `<path class="qb-ct-${name}" d="M${path}"/>`;
  });
  return (
    `<svg y="${TOP}" width="${width}" height="${CURVES}" viewBox="0 ${TOP} ${width} ${CURVES}">` +
    `${lines.join("")}</svg>`
  );
}

/** The threshold that is set, with its three errors, and a ring around the smallest sum. */
function markers({ threshold, rounding, clipping, sum, best, at, y }) {
  const dots = [rounding, clipping, sum].filter((error) => y(error) <= BOTTOM).map(
    (error) => `<circle class="qb-ct-dot" cx="${at(threshold)}" cy="${y(error)}" r="4"/>`,
  );
  return (
    `<path class="qb-ct-now" d="M${at(threshold)},${TOP}V${BOTTOM}"/>${dots.join("")}` +
    `<circle class="qb-ct-best" cx="${at(best.threshold)}" cy="${y(best.sum)}" r="8"/>`
  );
}

function horizontal(ticks, x, y, from, to) {
  const marks = ticks.map(
    (tick) =>
      `<path class="qb-axis" d="M${x(tick)},${y}v5"/>` +
      `<text x="${x(tick)}" y="${y + 18}" text-anchor="middle">${compact(tick)}</text>`,
  );
  return `<path class="qb-axis" d="M${from},${y}H${to}"/>${marks.join("")}`;
}

const SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹";
const raised = (power) =>
  (power < 0 ? "⁻" : "") + [...String(Math.abs(power))].map((d) => SUPERSCRIPTS[d]).join("");
const box = (left, top, right, bottom) =>
  `M${left},${top}H${Math.max(right, left + 1)}V${bottom}H${left}Z`;
const fixed = (pixels) => Number(pixels.toFixed(1));
