// The quantizer's picture: histogram, grid of codes and error, over one horizontal axis.

import { compact, niceTicks, present, widthOf } from "./drawing.js";

const HISTOGRAM = 150; // heights in pixels, from top to bottom
const GRID = 16;
const LABEL = 16;
const ERROR = 84;
const AXIS = 26;
const SIDE = 6; // margin left and right
const BOTTOM = HISTOGRAM + GRID + LABEL + ERROR;

/** Draw into the svg; `bars` is the histogram of the values over `domain`. */
export function drawQuantizer(picture, state) {
  const { domain, scale, zeroPoint, quantMin, quantMax, maxError } = state;
  const width = widthOf(picture);
  const perUnit = (width - 2 * SIDE) / (domain[1] - domain[0]);
  const x = (value) => {
    const inside = Math.min(Math.max(value, domain[0]), domain[1]);
    return Number((SIDE + perUnit * (inside - domain[0])).toFixed(1));
  };
  const valueOf = (code) => scale * (code - zeroPoint);
  const frame = {
    ...state,
    width,
    x,
    valueOf,
    stepPixels: perUnit * scale,
    // Beyond half a step outside the first and last code a value is clipped.
    ends: [valueOf(quantMin - 0.5), valueOf(quantMax + 0.5)],
    first: Math.max(quantMin, Math.ceil(zeroPoint + domain[0] / scale)),
    last: Math.min(quantMax, Math.floor(zeroPoint + domain[1] / scale)),
  };
  present(
    picture,
    width,
    BOTTOM + AXIS,
    `Histogram of the values over the grid of codes, ${compact(scale)} apart; ` +
      `below it the error, at most ${compact(maxError)}.`,
  );
  picture.innerHTML = [clipped, histogramBars, comb, grid, error, axis]
    .map((part) => part(frame))
    .join("");
}

function clipped({ domain, ends, x }) {
  const sides = [[domain[0], ends[0]], [ends[1], domain[1]]];
  return sides
    .filter(([from, to]) => from < to)
    .map(([from, to]) => rect("qb-clipped", x(from), 0, x(to), BOTTOM))
    .join("");
}

function histogramBars({ bars, x }) {
  const path = bars.counts.map((count, i) => {
    if (count === 0) return "";
    const top = Math.min(barTop(count, bars), HISTOGRAM - 2); // a single outlier stays visible
    return column(x(bars.edges[i]), x(bars.edges[i + 1]), top);
  });
  return `<path class="qb-bars" d="${path.join("")}"/>${text(SIDE + 2, 13, "values")}`;
}

/** The histogram of the quantized values, one column a code, at the same density as the bars. */
function comb({ bars, codes, first, last, scale, stepPixels, valueOf, x }) {
  if (stepPixels < 7) return "";
  const counts = new Map();
  for (const code of codes) counts.set(code, (counts.get(code) ?? 0) + 1);
  const binsAStep = scale / (bars.edges[1] - bars.edges[0]);
  let path = "";
  for (let code = first; code <= last; code++) {
    const top = barTop((counts.get(code) ?? 0) / binsAStep, bars);
    path += column(x(valueOf(code - 0.5)), x(valueOf(code + 0.5)), top);
  }
  return `<path class="qb-comb" d="${path}"/>`;
}

function grid({ first, last, stepPixels, valueOf, x }) {
  if (last < first) return "";
  const [top, bottom] = [HISTOGRAM + 3, HISTOGRAM + GRID - 3];
  if (stepPixels < 2.5) return rect("qb-band", x(valueOf(first)), top, x(valueOf(last)), bottom);
  let path = "";
  for (let code = first; code <= last; code++) path += `M${x(valueOf(code))},${top}V${bottom}`;
  return `<path class="qb-grid" d="${path}"/>`;
}

/** x̂ − x against x: a sawtooth inside the range, a straight line where values are clipped. */
function error(frame) {
  const { width, scale, maxError } = frame;
  const middle = BOTTOM - ERROR / 2;
  const reach = Math.max(maxError, scale / 2);
  const y = (e) => Number((middle - (e / reach) * (ERROR / 2 - 3)).toFixed(1));
  const path = frame.stepPixels < 1.5 ? denseError(frame, y) : sawtooth(frame, y);
  return (
    `<path class="qb-axis" d="M${SIDE},${middle}H${width - SIDE}"/>` +
    `<svg y="${BOTTOM - ERROR}" width="${width}" height="${ERROR}"` +
    ` viewBox="0 ${BOTTOM - ERROR} ${width} ${ERROR}"><path class="qb-saw" d="${path}"/></svg>` +
    text(SIDE + 2, BOTTOM - ERROR - 4, `error, up to ±${compact(reach)}`)
  );
}

function sawtooth({ domain, first, last, quantMin, quantMax, valueOf, x }, y) {
  let path = "";
  for (let code = first - 1; code <= last + 1; code++) {
    if (code < quantMin || code > quantMax) continue;
    const centre = valueOf(code);
    const from = code === quantMin ? domain[0] : Math.max(valueOf(code - 0.5), domain[0]);
    const to = code === quantMax ? domain[1] : Math.min(valueOf(code + 0.5), domain[1]);
    if (from < to) path += `M${x(from)},${y(centre - from)}L${x(to)},${y(centre - to)}`;
  }
  return path;
}

/** Where the teeth are too fine to draw: their envelope, and the two lines of clipping. */
function denseError({ domain, ends, quantMin, quantMax, scale, valueOf, x }, y) {
  const [from, to] = [Math.max(ends[0], domain[0]), Math.min(ends[1], domain[1])];
  const [lowest, highest] = [valueOf(quantMin), valueOf(quantMax)];
  let path = `M${x(from)},${y(scale / 2)}H${x(to)}V${y(-scale / 2)}H${x(from)}Z`;
  if (domain[0] < from)
    path += `M${x(domain[0])},${y(lowest - domain[0])}L${x(from)},${y(lowest - from)}`;
  if (to < domain[1])
    path += `M${x(to)},${y(highest - to)}L${x(domain[1])},${y(highest - domain[1])}`;
  return path;
}

function axis({ domain, width, x }) {
  const ticks = niceTicks(domain, width < 500 ? 5 : 9).map(
    (tick) =>
      `<path class="qb-axis" d="M${x(tick)},${BOTTOM}v5"/>` +
      `<text x="${x(tick)}" y="${BOTTOM + 19}" text-anchor="middle">${compact(tick)}</text>`,
  );
  return `<path class="qb-axis" d="M${SIDE},${BOTTOM}H${width - SIDE}"/>${ticks.join("")}`;
}

function barTop(count, bars) {
  const tallest = Math.max(...bars.counts);
  return Math.max(HISTOGRAM - (count / tallest) * (HISTOGRAM - 16), 0);
}

const column = (left, right, top) =>
  `M${left},${HISTOGRAM}V${top.toFixed(1)}H${right}V${HISTOGRAM}`;
const rect = (name, left, top, right, bottom) =>
  `<path class="${name}" d="M${left},${top}H${Math.max(right, left + 1)}V${bottom}H${left}Z"/>`;
const text = (x, y, words) => `<text x="${x}" y="${y}">${words}</text>`;
