// The stream's picture: above, each batch's extremes and the observer's range around them;
// below, the SQNR that follows from the range. Both over the number of batches seen.

import { compact, niceTicks, present, widthOf } from "./drawing.js";

const VALUES = 220; // heights in pixels, from top to bottom
const GAP = 26;
const RATIO = 90;
const AXIS = 38;
const LEFT = 40;
const RIGHT = 8;
const BOTTOM = VALUES + GAP + RATIO;

/** Draw into the svg: one point for each batch seen, out of `count`. */
export function drawStream(picture, { name, count, points }) {
  const width = widthOf(picture);
  const spacing = (width - LEFT - RIGHT) / count;
  const x = (batch) => Number((LEFT + spacing * batch).toFixed(1)); // batch's left edge
  const ends = points.flatMap(({ seen, range }) => [...seen, ...range]);
  const valueDomain = spaced(Math.min(0, ...ends), Math.max(0, ...ends));
  const ratios = points.map(({ sqnr }) => sqnr).filter(Number.isFinite);
  const ratioDomain = [
    Math.min(20, 10 * Math.floor(Math.min(...ratios) / 10)),
    Math.max(50, 10 * Math.ceil(Math.max(...ratios) / 10)),
  ];
  const frame = {
    width,
    spacing,
    count,
    points,
    x,
    y: scaleTo(valueDomain, VALUES, 4),
    yRatio: scaleTo(ratioDomain, BOTTOM, VALUES + GAP),
    valueDomain,
    ratioDomain,
  };
  const { range, sqnr } = points.at(-1);
  const noise = Number.isFinite(sqnr) ? `${sqnr.toFixed(1)} decibels` : "without bound";
  present(
    picture,
    width,
    BOTTOM + AXIS,
    `The smallest and largest value of each of the first ${points.length} batches, and the ` +
      `${name} observer's range after each, now ${range.map(compact).join(" to ")}; ` +
      `below it the signal to noise ratio, now ${noise}.`,
  );
  picture.innerHTML = [axes, remembered, sticks, ratio].map((part) => part(frame)).join("");
}

function axes({ width, count, x, y, yRatio, valueDomain, ratioDomain }) {
  const values = niceTicks(valueDomain, 5).map((tick) => [y(tick), tick]);
  const ratios = niceTicks(ratioDomain, 3).map((tick) => [yRatio(tick), tick]);
  const lines = [...values, ...ratios].map(([at]) => `M${LEFT},${at}H${width - RIGHT}`);
  const labels = [...values, ...ratios].map(([at, tick]) =>
    caption(LEFT - 5, at + 4, compact(tick), "end"),
  );
  const batches = niceTicks([1, count], width < 500 ? 4 : 8)
    .filter(Number.isInteger)
    .map((tick) => caption((x(tick - 1) + x(tick)) / 2, BOTTOM + 17, tick, "middle"));
  return [
    `<path class="qb-axis" d="${lines.join("")}"/>`,
    ...labels,
    ...batches,
    caption(LEFT, VALUES + GAP - 6, "SQNR of the typical values, dB"),
    caption(width - RIGHT, BOTTOM + 34, "batches seen", "end"),
  ].join("");
}

/** The range after each batch, as a band with a step at each. */
function remembered({ points, x, y }) {
  const edge = (end) => points.map(({ range }, i) => [x(i), x(i + 1), y(range[end])]);
  const walk = (steps) => steps.map(([from, to, at]) => `${from},${at}H${to}`).join("L");
  const back = edge(0)
    .reverse()
    .map(([from, to, at]) => `${to},${at}H${from}`)
    .join("L");
  return (
    `<path class="qb-remembered" d="M${walk(edge(1))}L${back}Z"/>` +
    `<path class="qb-ends" d="M${walk(edge(1))}M${walk(edge(0))}"/>`
  );
}

/** Each batch from its smallest to its largest value; a dot on those with an outlier. */
function sticks({ points, spacing, x, y }) {
  const radius = Math.min(4, Math.max(2, spacing / 2));
  const middle = (i) => (x(i) + x(i + 1)) / 2;
  const lines = points.map(({ seen }, i) => `M${middle(i)},${y(seen[0])}V${y(seen[1])}`);
  const dots = points.map(({ seen, isOutlier }, i) => {
    const far = Math.abs(seen[0]) > Math.abs(seen[1]) ? seen[0] : seen[1];
    return isOutlier
      ? `<circle class="qb-outlier" cx="${middle(i)}" cy="${y(far)}" r="${radius}"/>`
      : "";
  });
  return `<path class="qb-stick" d="${lines.join("")}"/>${dots.join("")}`;
}

function ratio({ points, x, yRatio }) {
  const places = points
    .map(({ sqnr }, i) => [(x(i) + x(i + 1)) / 2, yRatio(sqnr)])
    .filter(([, at]) => Number.isFinite(at));
  if (places.length === 0) return "";
  const [lastX, lastY] = places.at(-1);
  return (
    `<path class="qb-ratio" d="M${places.map((place) => place.join(",")).join("L")}"/>` +
    `<circle class="qb-now" cx="${lastX}" cy="${lastY}" r="3"/>`
  );
}

/** A function from the domain to pixels, from bottom up to top. */
function scaleTo([low, high], bottom, top) {
  return (value) => Number((bottom - ((value - low) / (high - low)) * (bottom - top)).toFixed(1));
}

function spaced(low, high) {
  const margin = 0.05 * (high - low) || 1;
  return [low - margin, high + margin];
}

const caption = (x, y, text, anchor = "start") =>
  `<text x="${x}" y="${y}" text-anchor="${anchor}">${text}</text>`;
