// Saturation: move two activations and two weights, and see what sixteen bits leave of their sum.

import {
  across,
  area,
  axis,
  bar,
  dot,
  grip,
  handle,
  ink,
  line,
  plot,
  stage,
  start,
  text,
  upwards,
  wash,
} from "../shared/drawing.js";
import { button, fields, hint, panel, results, select, slider } from "../shared/fields.js";
import { figure } from "../shared/figure.js";
import { html } from "../shared/html.js";
import { percent, signed } from "../shared/print.js";
import { addPair, beyond, INT16, LARGEST, reducedCode, saturatingShare, WEIGHTS } from "./pair.js";

const REACH = [-66_500, 66_500]; // the number line's ends; no sum is larger than 65,280
const ROW = 44; // pixels from one row of the number line to the next
const SIDE = 280; // of the plane of weights, in pixels
const TOP = 22; // of the plane
const SHADE = 8192; // each shade of the plane stands for so much more that is lost

/** What follows from the state, and so is no part of it. */
function derive({ activations, weights, reduce_range: reduced }) {
  const codes = reduced ? activations.map(reducedCode) : activations;
  return { codes, weights, ...addPair(codes, weights), share: saturatingShare(codes) };
}

export function view(state) {
  const derived = derive(state);
  return panel(
    { name: "saturation", label: "Saturation" },
    controls(state, derived),
    hint("Drag a blue mark along its edge of the square, or click into the square."),
    html`<div class="qb-pictures">${sumPicture(derived)}${planePicture(derived)}</div>`,
    results(found(derived)),
  );
}

function controls({ activations, reduce_range: reduced }, { codes }) {
  const activation = (i) =>
    slider({
      name: `activations.${i}`,
      label: `Activation ${i + 1}`,
      value: activations[i],
      min: 0,
      max: LARGEST.full,
      text: reduced ? `${activations[i]}, now ${codes[i]}` : `${activations[i]}`,
    });
  const options = [
    [false, `0 … ${LARGEST.full}`],
    [true, `0 … ${LARGEST.reduced} (reduced)`],
  ];
  return fields(
    activation(0),
    activation(1),
    select({ name: "reduce_range", label: "Codes of activations", value: reduced, options }),
    button({ name: "largest", text: "Largest codes" }),
  );
}

/** The products end to end on a number line, and below them what 16 bits hold of their sum. */
function sumPicture({ codes, weights, products, exact, pair }) {
  const x = across(REACH);
  const bottom = 3 * ROW;
  const term = (i) => `${codes[i]} · ${signed(weights[i])} = ${signed(products[i])}`;
  const right = exact === pair ? "" : `, ${signed(exact)} would be right`;
  const row = (i, label, ...drawn) => [text(0, i * ROW + 16, label, start), drawn];
  const part = (i, from, to, fill, rest) =>
    from !== to && bar(x(from), x(to), i * ROW + 22, i * ROW + 38, fill, rest);
  const label =
    `Number line. The products end to end reach ${signed(exact)}; ` +
    `16 bits reach from ${signed(INT16[0])} to ${INT16[1]} and hold ${signed(pair)}.`;
  return stage({ height: bottom + 24, label, left: 4, right: 4 }, [
    bar(0, x(INT16[0]), 0, bottom, ink.lost, wash),
    bar(x(INT16[1]), 100, 0, bottom, ink.lost, wash),
    row(0, `first product: ${term(0)}`, part(0, 0, products[0], ink.real)),
    row(1, `second product: ${term(1)}`, part(1, products[0], exact, ink.real)),
    row(2, `16 bits: ${signed(pair)}${right}`, part(2, 0, pair, ink.code), [
      part(2, pair, exact, ink.lost, { "fill-opacity": 0.3, stroke: ink.lost }),
    ]),
    line(x(0), 0, x(0), bottom),
    axis(REACH, bottom, { ticks: [INT16[0], 0, INT16[1]], print: signed }),
  ]);
}

/** All pairs of weights, in red those that saturate, darker where more is lost. */
function planePicture({ codes, weights, share }) {
  const [x, y] = [across(WEIGHTS), upwards(WEIGHTS, TOP + SIDE, TOP)];
  const square = [0, 1, 1, 0].map((end, i) => [WEIGHTS[end], WEIGHTS[i >> 1]]);
  const opposite = codes.map((code) => -code);
  const shades = [];
  for (let lost = 0; lost < -INT16[0]; lost += SHADE) {
    shades.push(beyond(square, codes, INT16[1] + lost));
    shades.push(beyond(square, opposite, lost - INT16[0]));
  }
  const placed = (corners) => corners.map(([first, second]) => [x(first), y(second)]);
  const shaded = shades
    .filter((corners) => corners.length > 0)
    .map((corners) => area(placed(corners), ink.lost, { "fill-opacity": 0.3 }));
  const [left, top] = [x(weights[0]), y(weights[1])];
  const ticks = [WEIGHTS[0], 0, WEIGHTS[1]];
  const label =
    share === 0
      ? "Plane of all pairs of weights; none of them saturates."
      : `Plane of all pairs of weights; ${percent(share)} of them saturate, ` +
        "where both weights are large and of one sign.";
  const picture = [
    plot(TOP, SIDE, shaded),
    html`<rect width="100%" y=${TOP} height=${SIDE} fill="none" stroke=${ink.real} />`,
    ticks.map((tick) => text(x(tick), TOP + SIDE + 26, signed(tick))),
    ticks.map((tick) => text(0, y(tick) + 4, signed(tick), { "text-anchor": "end", dx: -15 })),
    text(x(0), TOP + SIDE + 44, "weight 1"),
    text(0, TOP - 8, "weight 2; shaded: saturates", start),
    line(left, TOP, left, TOP + SIDE, { stroke: ink.code }),
    line(0, top, 100, top, { stroke: ink.code }),
    dot(left, top, ink.code),
    html`<rect data-area="weights" width="100%" y=${TOP} height=${SIDE} fill="transparent" />`,
    grip(left, TOP + SIDE),
    grip(0, top, { upright: true }),
  ];
  const held = (i, place) =>
    handle({
      name: `weights.${i}`,
      label: `Weight ${i + 1}`,
      value: weights[i],
      text: signed(weights[i]),
      domain: WEIGHTS,
      ...place,
    });
  return stage({ height: TOP + SIDE + 50, label, left: 48, right: 14, width: SIDE }, picture, [
    held(0, { y: TOP + SIDE }),
    held(1, { upright: [TOP, TOP + SIDE] }),
  ]);
}

/** The result in print. */
function found({ products, exact, pair, share }) {
  const lost = Math.abs(exact - pair);
  return [
    ["Products", products.map((product) => signed(product)).join(" and ")],
    ["Sum", signed(exact)],
    ["In 16 bits", signed(pair)],
    ["Lost", lost ? `${lost}, ${percent(lost / Math.abs(exact))}` : "nothing"],
    ["Weight pairs that saturate", percent(share)],
  ];
}

/** What changes in the state with an input, a button, or a point in the plane. */
export function changed(state, name, value) {
  if (name === "largest")
    return { activations: [LARGEST.full, LARGEST.full], weights: [WEIGHTS[1], WEIGHTS[1]] };
  if (name === "weights") return { weights: weightsAt(value) };
  const [trait, place] = name.split(".");
  return { [trait]: place === undefined ? value : state[trait].with(Number(place), value) };
}

/** The weights at a point of the plane. */
function weightsAt([fromLeft, fromTop]) {
  const [low, high] = WEIGHTS;
  return [fromLeft, 1 - fromTop].map((share) =>
    Math.round(low + Math.min(Math.max(share, 0), 1) * (high - low)),
  );
}

export default figure({ traits: ["activations", "weights", "reduce_range"], view, changed });
