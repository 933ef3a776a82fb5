// Which layers a call of quantize_dynamic swaps, what that saves, and where it pays.

import { bar, ink, stage } from "../shared/drawing.js";
import { fields, hint, number, panel, replaced, results, select, task } from "../shared/fields.js";
import { figure } from "../shared/figure.js";
import { html } from "../shared/html.js";
import { bytes, grouped, percent } from "../shared/print.js";
import { layerCost, SPECS } from "./layer_cost.js";

const KINDS = {
  linear: ["Linear", "features", "outputs"],
  lstm: ["LSTM", "features", "hidden"],
  conv1d: ["Conv1d, 3 wide", "channels", "outputs"],
  embedding: ["Embedding", "rows", "columns"],
};
const CALLS = Object.keys(SPECS).map((spec) => [spec, spec ? `model, ${spec}` : "model"]);
const OUTLINE = { stroke: ink.real, "fill-opacity": 0.25 }; // of float32
const LARGEST_SIZE = 65536;
const LARGEST_CALL = 256;
const TASK = "let an LSTM use each byte for 100 products, in a call of at most a billion of them.";

export function view({ layers, spec, batch, steps, wrong }) {
  const costs = layers.map((layer) => layerCost(layer, spec, batch, steps));
  const widest = Math.max(...costs.flatMap((cost) => [cost.fileBefore, cost.fileAfter]));
  return panel(
    { name: "swapped", label: "What dynamic quantization swaps and saves" },
    fields(
      select({ name: "spec", label: "Arguments of quantize_dynamic", value: spec, options: CALLS }),
      number({ name: "batch", label: "Batch", value: batch, min: 1, max: LARGEST_CALL }),
      number({ name: "steps", label: "Steps", value: steps, min: 1, max: LARGEST_CALL }),
    ),
    hint("Raise the steps, then the batch: compare the products per byte of each layer."),
    layers.map((layer, place) => card(layer, place, costs[place], widest, SPECS[spec].inFile)),
    results(conclusions(layers, costs), { between: ": ", end: ". ", wrong }),
    task(usesBytesOften(layers, costs), TASK, wrong),
  );
}

/** A layer: its kind and sizes as fields, then what becomes of it. */
function card([kind, ...sizes], place, cost, widest, inFile) {
  const [, ...named] = KINDS[kind];
  const label = `Layer ${place + 1}`;
  const options = Object.entries(KINDS).map(([each, [name]]) => [each, name]);
  const size = (value, i) => {
    const field = { name: `layers.${place}.${i + 1}`, label: named[i], value };
    return number({ ...field, aria: `${label}, ${named[i]}`, min: 1, max: LARGEST_SIZE });
  };
  const inOneByte = cost.swapped && inFile === 1;
  const marked = cost.swapped ? "qb-layer qb-is-swapped" : "qb-layer";
  return html`<div class=${marked} role="group" aria-label=${label}>
    ${fields(select({ name: `layers.${place}.0`, label, value: kind, options }), sizes.map(size))}
    <p><b>${cost.swapped ? "swapped" : "stays float32"}</b>${`, ${inPrint(cost)} in the file`}</p>
    ${bytesPicture(cost, widest, inOneByte)}
    <p>${workOf(kind, cost)}</p>
  </div>`;
}

const inPrint = ({ swapped, fileBefore, fileAfter }) =>
  swapped ? `${bytes(fileBefore)} → ${bytes(fileAfter)}` : bytes(fileBefore);

/** Two bars, the file before and after: float32 in outline, codes filled. */
function bytesPicture({ fileBefore, fileAfter }, widest, inOneByte) {
  const label = `Bars: ${bytes(fileBefore)} before, ${bytes(fileAfter)} after`;
  const [before, after] = [fileBefore, fileAfter].map((size) => (100 * size) / widest);
  const [fill, rest] = inOneByte ? [ink.code] : [ink.real, OUTLINE];
  return stage({ height: 30, label, left: 0, right: 1 }, [
    bar(0, before, 1, 13, ink.real, OUTLINE),
    bar(0, after, 17, 29, fill, rest),
  ]);
}

const workOf = (kind, cost) =>
  kind === "embedding"
    ? "No products: rows are only looked up."
    : `${ratesInPrint(cost)} products for each byte of weights fetched`;

/** Products for each byte, before and after. */
const ratesOf = ({ products, fetchedBefore, fetchedAfter }) => [
  products / fetchedBefore,
  products / fetchedAfter,
];

function ratesInPrint(cost) {
  const [before, after] = ratesOf(cost).map((rate) => grouped(Number(rate.toPrecision(3))));
  return cost.swapped ? `${before} → ${after}` : before;
}

/** What is swapped and saved, the work, and how much of it each byte that is fetched does. */
function conclusions(layers, costs) {
  const places = layers.map((_, place) => place);
  const named = (place) => `${place + 1} (${KINDS[layers[place][0]][0].split(",")[0]})`;
  const swapped = places.filter((place) => costs[place].swapped).map(named);
  const [before, after] = ["fileBefore", "fileAfter"].map((name) => sum(costs, name));
  const sizes = [before, after].map(grouped).join(" → ");
  const working = places.filter((place) => costs[place].products > 0);
  const rates = working.map((place) => `layer ${place + 1}, ${ratesInPrint(costs[place])}`);
  return [
    ["Swapped", swapped.length ? `layer ${swapped.join(", ")}` : "nothing"],
    ["Bytes in the file", `${sizes}, ${percent(after / before)} of it`],
    ["Products in a call", grouped(sum(costs, "products"))],
    ...(rates.length ? [["Products per byte", rates.join("; ")]] : []),
  ];
}

const sum = (costs, name) => costs.reduce((total, cost) => total + cost[name], 0);

/** Whether an LSTM has enough work for each byte, in a call that has not too much. */
const usesBytesOften = (layers, costs) =>
  sum(costs, "products") <= 1e9 &&
  layers.some(([kind], place) => kind === "lstm" && ratesOf(costs[place])[1] >= 100);

/** An input of a layer is named layers, its place, its part. */
export const changed = replaced;

const traits = ["layers", "spec", "batch", "steps"];
export default figure({ traits, view, changed, local: { wrong: null } });
