// Matrices side by side: a shaded square for each number.

import { ink } from "./drawing.js";
import { html } from "./html.js";
import { clamp } from "./quantmath.js";

const SHADES = 24; // of each ink

/** Matrices side by side, at any width of the page. */
export const matrices = (...all) => html`<div class="qb-matrices">${all}</div>`;

/**
 * Numbers under a title, in blocks of `size`, rows and columns: one block follows the other, so
 * many `across`, with lines between them. `of` says to screen readers what the numbers are of. One
 * above 0 is in the ink `above`, one below 0 red; either is full at the size `reach`, or the largest.
 */
export function matrix(
  title,
  numbers,
  { reach = largest(numbers), above = ink.code, of, ...look },
) {
  const full = reach === 0 ? "0" : reach.toPrecision(2);
  const label = `${title}, ${of}: ${numbers.length} numbers of size up to ${full}`;
  const { size, across = 1 } = look;
  const counts = [numbers.length / (size[0] * size[1] * across), across]; // of blocks
  // A line takes the room of one square.
  const [height, width] = counts.map((count, axis) => count * (size[axis] + 1) - 1);
  const [lying, upright] = counts.map((count, axis) => edges(count, size[axis]));
  const lines = [
    ...lying.map((y) => `M0,${y}H${width}`),
    ...upright.map((x) => `M${x},0V${height}`),
  ];
  return html`<div><svg role="img" aria-label=${label} viewBox=${`0 0 ${width} ${height}`}
    shape-rendering="crispEdges"><path d=${lines.join("")} stroke=${ink.real} stroke-opacity="0.3" />
    ${squares(numbers, reach || 1, above, look)}</svg>${`${title}: full colour is ${full}`}</div>`;
}

const largest = (numbers) => Math.max(...numbers.map(Math.abs));

/** Where the lines are between so many blocks. */
const edges = (count, each) =>
  Array.from({ length: count - 1 }, (_, i) => (each + 1) * (i + 1) - 0.5);

/** A path for each shade. */
function squares(numbers, reach, above, { size: [rows, columns], across = 1 }) {
  const paths = new Array(2 * SHADES + 1).fill("");
  numbers.forEach((number, i) => {
    const block = Math.floor(i / (rows * columns));
    const [row, column] = [Math.floor(i / columns) % rows, i % columns];
    const x = (columns + 1) * (block % across) + column;
    const y = (rows + 1) * Math.floor(block / across) + row;
    const shade = Math.round(SHADES * clamp(number / reach, -1, 1));
    paths[SHADES + shade] += `M${x},${y}h1v1h-1z`;
  });
  return paths.map((d, i) => {
    const shade = i - SHADES;
    const opacity = (Math.abs(shade) / SHADES).toFixed(2);
    const fill = shade < 0 ? ink.lost : above;
    return shade !== 0 && d !== "" && html`<path d=${d} fill=${fill} fill-opacity=${opacity} />`;
  });
}
