// The pictures of the layers: where the signal-to-noise ratio falls, and the maps of one layer.

import { decibels, element, present, widthOf } from "./drawing.js";

const CHART = { height: 150, top: 22, bottom: 34, most: 60 }; // most: dB at the upper end
const POSITIVE = [20, 90, 200]; // red, green, blue
const NEGATIVE = [190, 50, 30];
const BETWEEN = [128, 128, 128, 70]; // the channels

/** Two lines over the layers: the ratio of the output, and of the layer's own error. */
export function drawFall(picture, stages, chosen) {
  const width = widthOf(picture);
  const column = width / stages.length;
  const x = (i) => (i + 0.5) * column;
  const y = (ratio) => {
    const share = Math.min(Math.max(ratio, 0), CHART.most) / CHART.most;
    return CHART.height - CHART.bottom - share * (CHART.height - CHART.top - CHART.bottom);
  };
  const mark = (kind, i, ratio, radius) =>
    `<circle class="qb-layers-${kind}" cx="${x(i)}" cy="${y(ratio)}" r="${radius}"/>`;
  const line = (kind, ratios) => {
    // Interrupted where there is no error at all
    const points = ratios.map((db, i) => (db === Infinity ? "" : `${joins(ratios, i)}${x(i)},${y(db)}`));
    return `<path class="qb-layers-${kind}" d="${points.join("")}"/>`;
  };
  const [total, own] = [stages.map(({ sqnr }) => sqnr), stages.map(({ ownSqnr }) => ownSqnr)];
  const at = stages.findIndex(({ name }) => name === chosen);
  const text = `Signal-to-noise ratio by layer: ${stages.map(spoken).join("; ")}.`;
  present(picture, width, CHART.height, text);
  picture.innerHTML = [
    `<rect class="qb-layers-chosen" x="${at * column}" y="0" width="${column}" height="${CHART.height}"/>`,
    `<path class="qb-axis" d="M0,${CHART.height - CHART.bottom}H${width}"/>`,
    line("own", own),
    line("total", total),
    ...total.map((db, i) => mark("dot", i, db, 4)),
    ...own.map((db, i) => (db === Infinity ? "" : mark("ring", i, db, 6))),
    ...stages.map(({ name, sqnr }, i) =>
      middle(x(i), CHART.height - 18, name) + middle(x(i), CHART.height - 4, decibels(sqnr, 1)),
    ),
    `<text x="4" y="13">0 … ${CHART.most} dB; solid: the output, dashed: what enters there</text>`,
  ].join("");
}

/** Move to the point, or draw a line to it from the one before. */
const joins = (ratios, i) => (i === 0 || ratios[i - 1] === Infinity ? "M" : "L");
const middle = (x, y, text) => `<text x="${x}" y="${y}" text-anchor="middle">${text}</text>`;
const spoken = ({ name, sqnr, ownSqnr }) =>
  `${name} ${decibels(sqnr, 1)}, its own error alone ${decibels(ownSqnr, 1)}`;

/** Three canvases with captions; show() paints one layer's numbers, restored codes and errors. */
export function makeMaps() {
  const block = element("div", { className: "qb-maps" });
  const maps = [0, 1, 2].map(() => {
    const canvas = element("canvas");
    canvas.setAttribute("role", "img");
    const caption = element("figcaption");
    const figure = element("figure");
    figure.append(canvas, caption);
    block.append(figure);
    return { canvas, caption };
  });
  const show = ({ name, exact, restored }) => {
    const error = exact.map((number, i) => restored[i] - number);
    const [most, off] = [largestSize(exact), largestSize(error)];
    const all = [
      ["In real numbers", exact, most],
      ["From the codes", restored, most],
      ["Difference", error, off],
    ];
    all.forEach(([title, numbers, reach], i) => {
      const { canvas, caption } = maps[i];
      const text = `${title}: full colour is ${reach === 0 ? 0 : reach.toPrecision(2)}`;
      if (caption.textContent !== text) caption.textContent = text; // else it is laid out anew
      canvas.setAttribute("aria-label", `${title}, ${name}: ${numbers.length} numbers of size up to ${reach.toPrecision(2)}`);
      paint(canvas, numbers, reach);
    });
  };
  return { block, show };
}

/** Paint square channels in rows of four with a line between them; blue is above 0, red below. */
function paint(canvas, numbers, reach) {
  const channels = numbers.length === 64 ? 1 : 16;
  const side = Math.sqrt(numbers.length / channels);
  const across = Math.sqrt(channels);
  const size = across * (side + 1) - 1;
  const image = new ImageData(size, size);
  for (let at = 0; at < size * size; at++) {
    const between = [at % size, Math.floor(at / size)].some((place) => place % (side + 1) === side);
    if (between) image.data.set(BETWEEN, 4 * at);
  }
  for (let i = 0; i < numbers.length; i++) {
    const channel = Math.floor(i / (side * side));
    const row = Math.floor(channel / across) * (side + 1) + (Math.floor(i / side) % side);
    const column = (channel % across) * (side + 1) + (i % side);
    const at = 4 * (row * size + column);
    image.data.set(numbers[i] < 0 ? NEGATIVE : POSITIVE, at);
    image.data[at + 3] = reach === 0 ? 0 : (255 * Math.abs(numbers[i])) / reach;
  }
  if (canvas.width !== size) Object.assign(canvas, { width: size, height: size });
  canvas.getContext("2d").putImageData(image, 0, 0);
}

const largestSize = (numbers) => numbers.reduce((most, number) => Math.max(most, Math.abs(number)), 0);
