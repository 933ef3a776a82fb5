// Maps of a layer's numbers: a square for each, and its channels side by side.

import { ink } from "../shared/drawing.js";
import { html } from "../shared/html.js";
import { clamp } from "../shared/quantmath.js";

const SHADES = 24; // of each ink

/** The numbers as they should be and as the codes mean them, and how far the two are apart. */
export function maps({ name, exact, restored }) {
  const error = exact.map((number, i) => restored[i] - number);
  const [most, off] = [exact, error].map((numbers) => Math.max(...numbers.map(Math.abs)));
  const map = (title, numbers, reach, above) => {
    const full = reach === 0 ? "0" : reach.toPrecision(2);
    const label = `${title}, ${name}: ${numbers.length} numbers of size up to ${full}`;
    const channels = name === "input" ? 1 : 16;
    const caption = `${title}: full colour is ${full}`;
    return html`<div>${squares(numbers, { label, channels, reach, above })}${caption}</div>`;
  };
  return html`<div class="qb-maps">
    ${map("In real numbers", exact, most, "currentColor")}
    ${map("From the codes", restored, most, ink.code)}
    ${map("Difference", error, off, ink.code)}
  </div>`;
}

/** One map: in the ink `above` 0 and red below it, full at the size `reach`. */
function squares(numbers, { label, channels, reach, above }) {
  const [across, side] = [Math.sqrt(channels), Math.sqrt(numbers.length / channels)];
  const step = side + 1; // from one channel to the next, with a line between them
  const paths = new Array(2 * SHADES + 1).fill("");
  numbers.forEach((number, i) => {
    const channel = Math.floor(i / side ** 2);
    const x = step * (channel % across) + (i % side);
    const y = step * Math.floor(channel / across) + (Math.floor(i / side) % side);
    const shade = Math.round(SHADES * clamp(number / (reach || 1), -1, 1));
    paths[SHADES + shade] += `M${x},${y}h1v1h-1z`;
  });
  const drawn = paths.map((d, i) => {
    const shade = i - SHADES;
    const opacity = (Math.abs(shade) / SHADES).toFixed(2);
    const fill = shade < 0 ? ink.lost : above;
    return shade !== 0 && d !== "" && html`<path d=${d} fill=${fill} fill-opacity=${opacity} />`;
  });
  const size = across * step - 1;
  const edges = Array.from({ length: across - 1 }, (_, i) => step * (i + 1) - 0.5);
  const lines = edges.map((at) => `M${at},0V${size}M0,${at}H${size}`).join("");
  return html`<svg role="img" aria-label=${label} viewBox=${`0 0 ${size} ${size}`}
    shape-rendering="crispEdges">
    <path d=${lines} stroke=${ink.real} stroke-opacity="0.3" />${drawn}</svg>`;
}
