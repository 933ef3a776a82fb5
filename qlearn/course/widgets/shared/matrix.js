// Matrices side by side: a shaded square for each number.

import { ink, path } from "./drawing.js";
import { html } from "./html.js";
import { clamp, largestSize } from "./quantmath.js";
import { memoized, once } from "./values.js";

const SHADES = 24; // of each ink

/** Matrices side by side, at any width of the page. */
export const matrices = (...all) => html`<div class="qb-matrices">${all}</div>`;

/**
 * Numbers under a title, in blocks of `size`, rows and columns: one block follows the other, so
 * many `across`, with lines between them, which take the room of `gap` squares. `of` says to screen
 * readers what the numbers are of, and `count` how many there are, if some squares are to come.
 * All are in one ink `fill`: blue for codes, "currentColor" for real numbers, red for what is lost;
 * it is full at the size `reach`, or the largest. The square of one below 0 is smaller. A style may
 * give the picture another shape.
 * `over` is drawn over the squares, as `outlines` are; of points in a matrix with a `name`,
 * `changed` is told.
 */
export function matrix(title, numbers, { of, count, reach = largestSize(numbers), ...look }) {
  const full = reach < 10 ? reach.toPrecision(2) : reach.toFixed(0);
  const shown = reach === 0 ? "all 0" : `full colour from size ${full} on`;
  const label = `${title}, ${of}: ${count ?? numbers.length} numbers, ${shown}`;
  const below = numbers.some((number) => number < 0) ? "; negative: small squares" : "";
  const caption = `${title}: ${reach === 0 ? "all 0" : `full colour is ${full}`}${below}`;
  return html`<div>${shaded(label, numbers, { reach, ...look })}${caption}</div>`;
}

/** The picture alone; without a label screen readers pass it by. */
export function shaded(
  label,
  numbers,
  { reach = largestSize(numbers), fill = ink.code, over, name, ...look },
) {
  const { size, across = 1, gap = 1 } = look;
  const counts = [numbers.length / (size[0] * size[1] * across), across]; // of blocks
  const [height, width] = counts.map((count, axis) => count * (size[axis] + gap) - gap);
  const [lying, upright] = counts.map((count, axis) => edges(count, size[axis], gap));
  const lines = [
    ...lying.map((y) => `M0,${y}H${width}`),
    ...upright.map((x) => `M${x},0V${height}`),
  ];
  return html`<svg role=${label ? "img" : null} aria-label=${label} aria-hidden=${label ? null : "true"}
    viewBox=${`0 0 ${width} ${height}`} preserveAspectRatio="none" shape-rendering="crispEdges">
    <path d=${lines.join("")} stroke=${ink.real} stroke-opacity="0.3" stroke-width=${gap} />
    ${squares(numbers, reach || 1, fill, look)}${over}
    ${name && html`<rect data-area=${name} width="100%" height="100%" fill="transparent" />`}</svg>`;
}

/** Boxes of squares, each [row, column, rows, columns], in one block; as one path. */
export const outlines = (boxes, rest) =>
  boxes.length > 0 &&
  path(boxes.map(([y, x, down, across]) => `M${x},${y}h${across}v${down}h${-across}z`).join(""), {
    stroke: "currentColor",
    ...rest,
  });

/** From a box in one of many blocks, [block, row, column, rows, columns], to one over all of them. */
export const inBlocks =
  ({ size, across, gap = 1 }) =>
  ([block, row, column, ...both]) => [
    Math.floor(block / across) * (size[0] + gap) + row,
    (block % across) * (size[1] + gap) + column,
    ...both,
  ];

/** Where the lines are between so many blocks. */
const edges = (count, each, gap) =>
  Array.from({ length: count - 1 }, (_, i) => (each + gap) * (i + 1) - gap / 2);

/** A path for each shade; of the same numbers the same ones. */
const squares = (numbers, reach, fill, { size: [rows, columns], across = 1, gap = 1 }) =>
  shapes(numbers)(reach, fill, rows, columns, across, gap);

const shapes = once((numbers) =>
  memoized((reach, fill, rows, columns, across, gap) => {
    const paths = new Array(2 * SHADES + 1).fill("");
    numbers.forEach((number, i) => {
      const block = Math.floor(i / (rows * columns));
      const [row, column] = [Math.floor(i / columns) % rows, i % columns];
      const x = (columns + gap) * (block % across) + column;
      const y = (rows + gap) * Math.floor(block / across) + row;
      const shade = Math.round(SHADES * clamp(number / reach, -1, 1));
      paths[SHADES + shade] +=
        shade < 0 ? `M${x + 0.15},${y + 0.15}h.7v.7h-.7z` : `M${x},${y}h1v1h-1z`;
    });
    return paths.map((d, i) => inShade(d, i - SHADES, fill));
  }),
);

function inShade(d, shade, fill) {
  const opacity = (Math.abs(shade) / SHADES).toFixed(2);
  return shade !== 0 && d !== "" && html`<path d=${d} fill=${fill} fill-opacity=${opacity} />`;
}
