// Which layers a call of quantize_dynamic swaps, what that saves, and where it pays.

import { SPECS, layerCost } from "./layer_cost_math.js";
import { element, keepKeys, select, svg } from "./drawing.js";
import { controlBar, facts, onChange, panel, resultLine } from "./panel.js";

const LAYER_KINDS = {
  linear: { name: "Linear", inputs: "features", outputs: "outputs" },
  lstm: { name: "LSTM", inputs: "features", outputs: "hidden" },
  conv1d: { name: "Conv1d, 3 wide", inputs: "channels", outputs: "outputs" },
  embedding: { name: "Embedding", inputs: "rows", outputs: "columns" },
};
const LARGEST_SIZE = 65536;
const LARGEST_CALL = 256;

function render({ model, el }) {
  const root = panel(el, "qb-swapped", "What dynamic quantization swaps and saves");
  const call = select(
    "Call",
    Object.keys(SPECS).map((spec) => [spec, `quantize_dynamic(model${spec && ", "}${spec})`]),
  );
  call.label.classList.add("qb-call");
  const batch = numberInput("Batch", LARGEST_CALL);
  const steps = numberInput("Steps", LARGEST_CALL);
  const cards = [];
  const list = element("div", { className: "qb-layers" });
  const result = resultLine();
  root.append(controlBar({ call, batch, steps }), list, result);

  function show() {
    const [spec, rows, length] = ["spec", "batch", "steps"].map((name) => model.get(name));
    call.input.value = spec;
    batch.show(rows);
    steps.show(length);
    const layers = model.get("layers");
    haveCards(layers.length);
    const costs = layers.map((layer) => layerCost(layer, spec, rows, length));
    const widest = Math.max(...costs.flatMap((cost) => [cost.fileBefore, cost.fileAfter]));
    cards.forEach((card, place) => card.show(layers[place], costs[place], widest));
    result.replaceChildren(...facts(conclusions(layers, costs), ": ", ". "));
  }

  // Python may give the model more layers, or fewer.
  function haveCards(count) {
    while (cards.length > count) cards.pop().item.remove();
    while (cards.length < count) {
      const place = cards.length;
      const card = layerCard(place);
      card.listen((change) => putLayer(place, change));
      cards.push(card);
      list.append(card.item);
    }
  }

  function put(name, value) {
    model.set(name, value);
    model.save_changes();
  }
  function putLayer(place, change) {
    const layers = model.get("layers");
    put("layers", layers.map((old, at) => (at === place ? { ...old, ...change } : old)));
  }

  call.input.addEventListener("input", () => put("spec", call.input.value));
  batch.listen((value) => put("batch", value));
  steps.listen((value) => put("steps", value));

  // The model tells of every change, whether it comes from here, from Python or another view.
  show();
  const remove = onChange(model, ["layers", "spec", "batch", "steps"], show);
  return () => {
    remove();
    root.remove();
  };
}

/** A labelled whole number from 1 on; anything else that is typed is marked and not reported. */
function numberInput(name, max) {
  const label = element("label", { className: "qb-control" });
  const caption = element("span", { textContent: name });
  const input = element("input", { type: "number", min: 1, max, step: 1, required: true });
  keepKeys(input);
  label.append(caption, input);
  const listen = (callback) =>
    input.addEventListener("input", () => {
      input.setAttribute("aria-invalid", String(!input.validity.valid));
      if (input.validity.valid) callback(Number(input.value));
    });
  const show = (value) => {
    if (Number(input.value) === value) return;
    input.value = value;
    input.setAttribute("aria-invalid", "false");
  };
  return { label, caption, input, show, listen };
}

/** A layer: its kind and sizes as inputs, then what becomes of it. */
function layerCard(place) {
  const item = element("div", { className: "qb-layer" });
  item.setAttribute("role", "group");
  item.setAttribute("aria-label", `Layer ${place + 1}`);
  const kind = select(
    `Layer ${place + 1}`,
    Object.entries(LAYER_KINDS).map(([value, { name }]) => [value, name]),
  );
  const inputs = numberInput("inputs", LARGEST_SIZE);
  const outputs = numberInput("outputs", LARGEST_SIZE);
  const sizes = element("div", { className: "qb-sizes" });
  sizes.append(kind.label, inputs.label, outputs.label);
  const fate = element("p", { className: "qb-fate" });
  const picture = svg("svg", { height: 30, role: "img" });
  const work = element("p", { className: "qb-work" });
  item.append(sizes, fate, picture, work);
  const listen = (callback) => {
    kind.input.addEventListener("input", () => callback({ kind: kind.input.value }));
    inputs.listen((value) => callback({ inputs: value }));
    outputs.listen((value) => callback({ outputs: value }));
  };
  const show = (layer, cost, widest) => {
    const named = LAYER_KINDS[layer.kind];
    kind.input.value = layer.kind;
    inputs.caption.textContent = named.inputs;
    outputs.caption.textContent = named.outputs;
    inputs.show(layer.inputs);
    outputs.show(layer.outputs);
    item.classList.toggle("qb-is-swapped", cost.swapped);
    const bytes = `${sized(cost.fileBefore)} → ${sized(cost.fileAfter)} in the file`;
    fate.replaceChildren(
      element("b", { textContent: cost.swapped ? "swapped" : "stays float32" }),
      cost.swapped ? `, ${bytes}` : `, ${sized(cost.fileAfter)} in the file`,
    );
    drawBytes(picture, cost, widest);
    work.textContent = workOf(layer, cost);
  };
  return { item, show, listen };
}

/** Two bars, the file before and after. */
function drawBytes(picture, { fileBefore, fileAfter, swapped }, widest) {
  const bar = (bytes, y, className) =>
    svg("rect", { class: className, x: 0, y, height: 12, width: `${(100 * bytes) / widest}%` });
  picture.replaceChildren(
    bar(fileBefore, 1, "qb-bars"),
    bar(fileAfter, 16, swapped ? "qb-band" : "qb-bars"),
  );
  const alternative = `Bars: ${sized(fileBefore)} before, ${sized(fileAfter)} after`;
  picture.setAttribute("aria-label", alternative);
}

function workOf({ kind }, cost) {
  if (kind === "embedding") return "No products: rows are only looked up.";
  return `${ratesInPrint(cost)} products for each byte of weights fetched`;
}

/** Products for each byte, before and after. */
function ratesInPrint(cost) {
  const [before, after] = ratesOf(cost).map((rate) => grouped(Number(rate.toPrecision(3))));
  return cost.swapped ? `${before} → ${after}` : before;
}

const ratesOf = ({ products, fetchedBefore, fetchedAfter }) => [
  products / fetchedBefore,
  products / fetchedAfter,
];

/** What is swapped and saved, the work, and which layer waits for memory most. */
function conclusions(layers, costs) {
  const swapped = layers
    .map(({ kind }, place) => `${place + 1} (${LAYER_KINDS[kind].name.split(",")[0]})`)
    .filter((_, place) => costs[place].swapped);
  const sum = (name) => costs.reduce((total, cost) => total + cost[name], 0);
  const [before, after] = [sum("fileBefore"), sum("fileAfter")];
  const share = `${((100 * after) / before).toFixed(1)} %`;
  const pairs = [
    ["Swapped", swapped.length ? `layer ${swapped.join(", ")}` : "nothing"],
    ["Bytes in the file", `${grouped(before)} → ${grouped(after)}, ${share}`],
    ["Products in a call", grouped(sum("products"))],
  ];
  const busy = layers.map((_, place) => place).filter((place) => costs[place].products > 0);
  if (busy.length) {
    const [least] = busy.sort((a, b) => ratesOf(costs[a])[0] - ratesOf(costs[b])[0]);
    pairs.push(["Fewest of them per byte", `layer ${least + 1}, ${ratesInPrint(costs[least])}`]);
  }
  return pairs;
}

const grouped = (count) => count.toLocaleString("en-US");

/** Bytes in the unit that gives one to three digits before the point. */
function sized(bytes) {
  if (bytes < 1000) return `${bytes} bytes`;
  const [unit, size] = bytes < 1e6 ? ["kB", 1e3] : bytes < 1e9 ? ["MB", 1e6] : ["GB", 1e9];
  return `${(bytes / size).toPrecision(3).replace(/e\+\d+$/, "")} ${unit}`;
}

export default { render };
