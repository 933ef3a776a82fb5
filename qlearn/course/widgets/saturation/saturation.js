// Saturation: move two activations and two weights, and see what sixteen bits leave of their sum.

import * as draw from "../shared/drawing.js";
import * as field from "../shared/fields.js";
import { figure } from "../shared/figure.js";
import { html } from "../shared/html.js";
import { grouped, percent, signed } from "../shared/print.js";
import { clamp } from "../shared/quantmath.js";
import * as pair from "./pair.js";

const { ink } = draw;
const { INT16, LARGEST, WEIGHTS } = pair;
const REACH = [-66_500, 66_500]; // the number line's ends; no sum is larger than 65,280
const ROW = 44; // pixels from one row of the number line to the next
const SIDE = 280; // of the plane of weights, in pixels
const TOP = 22; // of the plane
const SHADE = 8192; // each shade of the plane stands for so much more that is lost

/** What follows from the state, and so is no part of it. */
function derive({ activations, weights, reduce_range: reduced }) {
  const codes = reduced ? activations.map(pair.reducedCode) : activations;
  const share = pair.saturatingShare(codes);
  const many = share < 0.0005 ? `${share * 65_536 || "none"} of 65,536` : percent(share);
  const safe = share === 0 && !reduced && Math.min(...codes) > 120;
  return { codes, weights, many, safe, ...pair.addPair(codes, weights) };
}

export function view(state) {
  const derived = derive(state);
  return field.panel(
    { name: "saturation", label: "Saturation" },
    controls(state, derived),
    field.hint("Move the activations. Drag the blue marks along the square, or press into it."),
    field.columns(sumPicture(derived), planePicture(derived)),
    field.results(found(derived)),
    field.task(
      derived.safe,
      "let no weight pair saturate, with the codes 0 … 255 and both activations above 120.",
    ),
  );
}

function controls({ activations, reduce_range: reduced }, { codes }) {
  const activation = (value, i) => {
    const text = reduced ? `${value}, now ${codes[i]}` : `${value}`;
    const named = { name: `activations.${i}`, label: `Activation ${i + 1}`, text };
    return field.slider({ ...named, value, min: 0, max: LARGEST.full });
  };
  const ranges = [`0 … ${LARGEST.reduced} (reduced)`, `0 … ${LARGEST.full}`];
  return field.fields(
    activations.map(activation),
    field.either("reduce_range", "Codes of activations", reduced, ranges),
    field.button({ name: "largest", text: "Largest codes" }),
  );
}

/** The products end to end on a number line, and below them what 16 bits hold of their sum. */
function sumPicture({ codes, weights, products, exact, pair: kept }) {
  const [x, bottom] = [draw.across(REACH), 3 * ROW];
  const term = (i) => `${codes[i]} · ${signed(weights[i])} = ${grouped(products[i])}`;
  const right = exact === kept ? "" : `, ${grouped(exact)} would be right`;
  const row = (i, label, ...drawn) => [draw.text(0, i * ROW + 16, label, draw.start), drawn];
  const part = (i, from, to, fill, rest) =>
    from !== to && draw.bar(x(from), x(to), i * ROW + 22, i * ROW + 38, fill, rest);
  const label = `Number line: the products reach ${grouped(exact)}, in 16 bits ${grouped(kept)}.`;
  return draw.stage({ height: bottom + 24, label, left: 4, right: 4 }, [
    draw.clippedAreas(REACH, INT16, x, [0, bottom]),
    row(0, `first product: ${term(0)}`, part(0, 0, products[0], ink.real)),
    row(1, `second product: ${term(1)}`, part(1, products[0], exact, ink.real)),
    row(2, `16 bits: ${grouped(kept)}${right}`, part(2, 0, kept, ink.code)),
    part(2, kept, exact, ink.lost, { "fill-opacity": 0.3, stroke: ink.lost }),
    [0, 1, 2].map((i) => draw.line(x(0), i * ROW + 20, x(0), (i + 1) * ROW)),
    draw.axis(REACH, bottom, { ticks: [INT16[0], 0, INT16[1]], print: grouped }),
  ]);
}

/** All pairs of weights, in red those that saturate, darker where more is lost. */
function planePicture({ codes, weights, many }) {
  const [x, y] = [draw.across(WEIGHTS), draw.upwards(WEIGHTS, TOP + SIDE, TOP)];
  const [left, top, ticks] = [x(weights[0]), y(weights[1]), [WEIGHTS[0], 0, WEIGHTS[1]]];
  const label = `Plane of all pairs of weights; those that saturate lie towards the corners: ${many}.`;
  const picture = [
    draw.plot(TOP, SIDE, shades(codes, x, y)),
    html`<rect width="100%" y=${TOP} height=${SIDE} fill="none" stroke=${ink.real} />`,
    ticks.map((tick) => draw.text(x(tick), TOP + SIDE + 26, signed(tick))),
    ticks.map((tick) => draw.text(0, y(tick) + 4, signed(tick), { "text-anchor": "end", dx: -15 })),
    draw.text(x(0), TOP + SIDE + 44, "weight 1"),
    draw.text(0, TOP - 8, "weight 2; shaded: saturates", draw.start),
    draw.line(left, TOP, left, TOP + SIDE, { stroke: ink.code }),
    draw.line(0, top, 100, top, { stroke: ink.code }),
    draw.dot(left, top, ink.code),
    draw.target("weights", TOP, SIDE),
  ];
  const held = (i, place) => {
    const named = { name: `weights.${i}`, label: `Weight ${i + 1}`, text: signed(weights[i]) };
    return draw.held({ ...named, value: weights[i], domain: WEIGHTS, ...place });
  };
  const size = { height: TOP + SIDE + 50, left: 48, right: 14, width: SIDE };
  return draw.stage({ ...size, label }, picture, [
    held(0, { at: x, y: TOP + SIDE }),
    held(1, { at: y }),
  ]);
}

/** The corners of the square where the sum leaves 16 bits, one shade over the other. */
function shades(codes, x, y) {
  const square = [0, 1, 1, 0].map((end, i) => [WEIGHTS[end], WEIGHTS[i >> 1]]);
  const opposite = codes.map((code) => -code);
  const found = [];
  for (let lost = 0; lost < -INT16[0]; lost += SHADE) {
    found.push(pair.beyond(square, codes, INT16[1] + lost));
    found.push(pair.beyond(square, opposite, lost - INT16[0]));
  }
  return found.map((corners) => {
    const placed = corners.map(([first, second]) => [x(first), y(second)]);
    return draw.area(placed, ink.lost, { "fill-opacity": 0.3 });
  });
}

/** The result in print. */
function found({ products, exact, pair: kept, many }) {
  const lost = Math.abs(exact - kept);
  return [
    ["Products", products.map(grouped).join(" and ")],
    ["Sum", grouped(exact)],
    ["In 16 bits", grouped(kept)],
    ["Lost", lost ? `${grouped(lost)}, ${percent(lost / Math.abs(exact))}` : "nothing"],
    ["Weight pairs that saturate", many],
  ];
}

/** The weight at this share of an edge of the plane. */
const weightAt = (share) => Math.round(WEIGHTS[0] + clamp(share, 0, 1) * (WEIGHTS[1] - WEIGHTS[0]));

/** What changes in the state with an input, a button, or a point in the plane. */
export function changed(state, name, value) {
  if (name === "largest")
    return { activations: [LARGEST.full, LARGEST.full], weights: [WEIGHTS[1], WEIGHTS[1]] };
  if (name === "weights") return { weights: [weightAt(value[0]), weightAt(1 - value[1])] };
  return field.replaced(state, name, value);
}

export default figure({ traits: ["activations", "weights", "reduce_range"], view, changed });
