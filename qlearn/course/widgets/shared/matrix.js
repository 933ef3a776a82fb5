// Matrices side by side: a shaded square for each number.

import { ink } from "./drawing.js";
import { html } from "./html.js";
import { clamp } from "./quantmath.js";

const SHADES = 24; // of each ink

/** Matrices side by side, at any width of the page. */
export const matrices = (...all) => html`<div class="qb-matrices">${all}</div>`;

/**
 * A matrix under its title: `rows` is a list of lists, `of` says to screen readers what it is a
 * matrix of. A number above 0 is in the ink `above`, one below 0 red, and either is full at the
 * size `reach`, or at that of the largest. Lines part blocks, each of so many rows and columns.
 */
export function matrix(title, rows, { of, reach = largest(rows), above = ink.code, block }) {
  const size = [rows.length, rows[0].length];
  const full = reach === 0 ? "0" : reach.toPrecision(2);
  const label = `${title}, ${of}: ${size[0] * size[1]} numbers of size up to ${full}`;
  const each = block ?? size;
  // A line takes the room of one square.
  const [height, width] = size.map((count, axis) => count + Math.ceil(count / each[axis]) - 1);
  const lines = [
    ...edges(height, each[0]).map((at) => `M0,${at}H${width}`),
    ...edges(width, each[1]).map((at) => `M${at},0V${height}`),
  ].join("");
  return html`<div><svg role="img" aria-label=${label} viewBox=${`0 0 ${width} ${height}`}
    shape-rendering="crispEdges"><path d=${lines} stroke=${ink.real} stroke-opacity="0.3" />
    ${squares(rows, reach || 1, above, each)}</svg>${`${title}: full colour is ${full}`}</div>`;
}

const largest = (rows) => Math.max(...rows.flatMap((row) => [...row].map(Math.abs)));

/** Where the lines are that follow each so many squares. */
const edges = (length, each) =>
  Array.from({ length: Math.floor(length / (each + 1)) }, (_, i) => (each + 1) * (i + 1) - 0.5);

/** A path for each shade. */
function squares(rows, reach, above, [down, across]) {
  const paths = new Array(2 * SHADES + 1).fill("");
  rows.forEach((row, i) => {
    row.forEach((number, k) => {
      const place = [k + Math.floor(k / across), i + Math.floor(i / down)];
      const shade = Math.round(SHADES * clamp(number / reach, -1, 1));
      paths[SHADES + shade] += `M${place}h1v1h-1z`;
    });
  });
  return paths.map((d, i) => {
    const shade = i - SHADES;
    const opacity = (Math.abs(shade) / SHADES).toFixed(2);
    const fill = shade < 0 ? ink.lost : above;
    return shade !== 0 && d !== "" && html`<path d=${d} fill=${fill} fill-opacity=${opacity} />`;
  });
}
