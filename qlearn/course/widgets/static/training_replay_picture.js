// The replay's picture: a histogram of the weights over their grid, above the paths they took.

import { histogram, present, svg, widthOf } from "./drawing.js";

const BARS = 120; // heights in pixels, from top to bottom
const AXIS = 40;
const PATHS = 230;
const FOOT = 20;
const SIDE = 40;
const BINS_A_STEP = 10;

/** Draw what no frame changes: the grid and the paths, cut off below the present frame. */
export function drawPaths(picture, { frames, codes, steps, frozen }) {
  const { width, x, y, bottom } = layout(picture, frames.length, codes);
  const top = BARS + AXIS;
  const paths = Array.from(
    frames[0],
    (_, i) => "M" + frames.map((frame, j) => `${x(frame[i])},${y(j)}`).join("L"),
  );
  const all = Array.from({ length: codes.quantMax - codes.quantMin + 1 }, (_, i) => codes.quantMin + i);
  const lines = (name, places) =>
    places.map((place) => `<path class="${name}" d="M${x(place)},0V${BARS}M${x(place)},${top}V${bottom}"/>`);
  const rows = [0, frozen, frames.length - 1].map((j) => word(SIDE - 6, y(j) + 4, steps[j], "end"));
  // An svg of its own cuts the paths off; a clip path would need an id, and the page may have two.
  picture.innerHTML = [
    `<g class="qb-tr-bars"></g>`,
    ...lines("qb-tr-edge", all.slice(0, -1).map((code) => code + 0.5)),
    ...lines("qb-tr-code", all),
    ...all.map((code) => word(x(code), BARS + 17, String(code).replace("-", "−"), "middle")),
    word(width - 4, BARS + 33, "weight, in steps of its grid", "end"),
    `<path class="qb-axis" d="M${SIDE},${BARS}H${width}"/>`,
    `<svg class="qb-tr-cut" x="0" y="${top}" width="${width}" height="0" ` +
      `viewBox="0 ${top} ${width} 0"><path class="qb-tr-path" d="${paths.join("")}"/></svg>`,
    `<path class="qb-tr-frozen" d="M${SIDE},${y(frozen)}H${width}"/>`,
    ...rows,
    `<g class="qb-tr-dots"></g>`,
    word(4, BARS + AXIS - 8, "step", "start"),
  ].join("");
}

/** Draw a frame: the bars, the weights, and the paths up to it. */
export function drawFrame(picture, state) {
  const { frames, frame, codes, steps, right, images, nearBoundary } = state;
  const { width, x, y, domain, bottom } = layout(picture, frames.length, codes);
  const positions = frames[frame];
  const bins = Math.round((domain[1] - domain[0]) * BINS_A_STEP);
  const { counts, edges } = histogram(positions, domain, bins);
  const tallest = Math.max(...counts, positions.length / 8);
  const bars = counts.map((count, i) => {
    const height = fixed((count / tallest) * (BARS - 6));
    return count ? `M${x(edges[i])},${BARS}V${BARS - height}H${x(edges[i + 1])}V${BARS}Z` : "";
  });
  const top = BARS + AXIS;
  const height = Math.max(y(frame) - top, 0.1);
  picture.querySelector(".qb-tr-bars").replaceChildren(svg("path", { class: "qb-tr-now", d: bars.join("") }));
  const cut = picture.querySelector(".qb-tr-cut");
  cut.setAttribute("height", height);
  cut.setAttribute("viewBox", `0 ${top} ${width} ${height}`);
  const dots = Array.from(positions, (position) => `M${x(position) - 1.5},${y(frame) - 1.5}h3v3h-3Z`);
  picture.querySelector(".qb-tr-dots").replaceChildren(svg("path", { class: "qb-tr-dot", d: dots.join("") }));
  present(
    picture,
    width,
    bottom + FOOT,
    `Histogram of ${positions.length} weights over their codes after ${steps[frame]} steps, and ` +
      `the paths that they took. ${(100 * nearBoundary).toFixed(0)} % lie near a boundary; ` +
      `${right[frame]} of ${images} test images are right.`,
  );
}

/** Where things lie; there is room for what is clipped, too. */
function layout(picture, rows, { quantMin, quantMax }) {
  const width = widthOf(picture);
  const domain = [quantMin - 0.5, quantMax + 1.5];
  const x = (position) =>
    fixed(SIDE + ((position - domain[0]) / (domain[1] - domain[0])) * (width - SIDE));
  const y = (row) => fixed(BARS + AXIS + (row / (rows - 1)) * PATHS);
  return { width, domain, x, y, bottom: BARS + AXIS + PATHS };
}

const fixed = (pixels) => Number(pixels.toFixed(1));
const word = (x, y, text, anchor) => `<text x="${x}" y="${y}" text-anchor="${anchor}">${text}</text>`;
