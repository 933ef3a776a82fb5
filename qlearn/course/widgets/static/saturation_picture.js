// Saturation's two pictures: the sum on a number line, and the plane of all pairs of weights.

import { INT16, WEIGHTS, beyond } from "./saturation_math.js";
import { present, widthOf } from "./drawing.js";

const REACH = 66_500; // the number line's ends; no sum is larger than 65,280
const ROW = 44; // heights in pixels: a row of the number line, the bar in it, its axis
const BAR = 16;
const FOOT = 24;
const MARGIN = { left: 40, right: 12, bottom: 40, top: 18 }; // around the plane of weights
const SHADE = 8192; // each shade of the plane stands for so much more that is lost

/** Draw the products end to end, and below them what sixteen bits hold of their sum. */
export function drawSum(picture, { codes, weights, products, exact, pair }) {
  const width = widthOf(picture);
  const x = (value) => round((width / 2) * (1 + value / REACH));
  const bottom = 3 * ROW;
  const term = (i) => `${codes[i]} · ${signed(weights[i])} = ${signed(products[i])}`;
  const left = exact === pair ? "" : `, ${signed(exact)} would be right`;
  const rows = [
    { label: `first product: ${term(0)}`, bars: [["qb-bars", 0, products[0]]] },
    { label: `second product: ${term(1)}`, bars: [["qb-bars", products[0], exact]] },
    {
      label: `16 bits: ${signed(pair)}${left}`,
      bars: [["qb-band", 0, pair], ["qb-saw", pair, exact]],
    },
  ];
  present(
    picture,
    width,
    bottom + FOOT,
    `Number line. The products end to end reach ${signed(exact)}; ` +
      `16 bits reach from ${signed(INT16[0])} to ${INT16[1]} and hold ${signed(pair)}.`,
  );
  picture.innerHTML = [
    bar("qb-clipped", 0, 0, x(INT16[0]), bottom),
    bar("qb-clipped", x(INT16[1]), 0, width, bottom),
    ...rows.map(({ label, bars }, i) => {
      const top = i * ROW + 22;
      const drawn = bars.filter(([, from, to]) => from !== to);
      const drawBar = ([name, from, to]) => bar(name, ...ordered(x(from), x(to), top));
      return words(4, top - 6, label, "start") + drawn.map(drawBar).join("");
    }),
    `<path class="qb-axis" d="M0,${bottom}H${width}M${x(0)},0V${bottom}"/>`,
    ...[INT16[0], 0, INT16[1]].map(
      (tick) =>
        `<path class="qb-axis" d="M${x(tick)},${bottom}v5"/>` +
        words(x(tick), bottom + 18, signed(tick), "middle"),
    ),
  ].join("");
}

/** Draw which pairs of weights saturate with the codes, darker where more is lost. */
export function drawWeights(picture, { codes, weights, share }) {
  const frame = planeFrame(picture);
  const { x, y, side } = frame;
  const [low, high] = [WEIGHTS[0] - 0.5, WEIGHTS[1] + 0.5];
  const square = [[low, low], [high, low], [high, high], [low, high]];
  let shades = "";
  for (let lost = 0; lost < -INT16[0]; lost += SHADE) {
    shades += region(beyond(square, codes, INT16[1] + lost), frame);
    shades += region(beyond(square, codes.map((code) => -code), lost - INT16[0]), frame);
  }
  const [cx, cy] = [x(weights[0]), y(weights[1])];
  const ticks = [WEIGHTS[0], 0, WEIGHTS[1]];
  present(
    picture,
    frame.width,
    side + MARGIN.top + MARGIN.bottom,
    share === 0
      ? "Plane of all pairs of weights; none of them saturates."
      : `Plane of all pairs of weights; ${(100 * share).toFixed(1)} % of them saturate, ` +
          "where both weights are large and of one sign.",
  );
  picture.innerHTML = [
    shades,
    `<path class="qb-axis" d="M${x(low)},${y(low)}H${x(high)}V${y(high)}H${x(low)}Z"/>`,
    `<path class="qb-grid" d="M${cx},${y(low)}V${y(high)}M${x(low)},${cy}H${x(high)}"/>`,
    `<circle class="qb-band" cx="${cx}" cy="${cy}" r="5"/>`,
    ...ticks.map((tick) => words(x(tick), y(low) + 16, signed(tick), "middle")),
    ...ticks.map((tick) => words(x(low) - 6, y(tick) + 4, signed(tick), "end")),
    words(x(0), y(low) + 33, "weight 1", "middle"),
    words(x(low), MARGIN.top - 6, "weight 2; shaded: saturates", "start"),
  ].join("");
}

/** The weights where the plane was clicked. */
export function weightsAt(picture, event) {
  const { left, top } = picture.getBoundingClientRect();
  const { from, side } = planeFrame(picture);
  const codes = 256 / side;
  const whole = (value) => Math.min(Math.max(Math.floor(value), WEIGHTS[0]), WEIGHTS[1]);
  return [
    whole((event.clientX - left - from) * codes + WEIGHTS[0]),
    whole(WEIGHTS[1] + 1 - (event.clientY - top - MARGIN.top) * codes),
  ];
}

/** A number with a real minus sign. */
export function signed(value) {
  return String(value).replace("-", "−");
}

/** Where the plane's square lies, and the pixels of a pair of weights. */
function planeFrame(picture) {
  const width = widthOf(picture);
  const side = Math.min(width - MARGIN.left - MARGIN.right, 280);
  const from = MARGIN.left;
  const pixels = side / (WEIGHTS[1] - WEIGHTS[0] + 1);
  const x = (weight) => round(from + pixels * (weight - WEIGHTS[0] + 0.5));
  const y = (weight) => round(MARGIN.top + pixels * (WEIGHTS[1] - weight + 0.5));
  return { width, side, from, x, y };
}

function region(corners, { x, y }) {
  if (corners.length === 0) return "";
  const points = corners.map(([first, second]) => `${x(first)},${y(second)}`);
  return `<path class="qb-lost" d="M${points.join("L")}Z"/>`;
}

const round = (pixels) => Number(pixels.toFixed(1));
const ordered = (a, b, top) => [Math.min(a, b), top, Math.max(a, b, Math.min(a, b) + 1), top + BAR];
const bar = (name, left, top, right, bottom) =>
  `<path class="${name}" d="M${left},${top}H${right}V${bottom}H${left}Z"/>`;
const words = (x, y, text, anchor) => `<text x="${x}" y="${y}" text-anchor="${anchor}">${text}</text>`;
