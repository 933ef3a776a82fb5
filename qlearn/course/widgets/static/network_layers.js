// The digits network: one image, layer by layer, in real numbers and in codes.

import { compact, decibels, element, onResize, select, slider, svg } from "./drawing.js";
import { OBSERVED, STAGES, WEIGHTED, largestAt, layersFrom, realOutputs, runNetwork } from "./network_layers_math.js";
import { button, controlBar, facts, float32Values, onChange, panel, resultLine } from "./panel.js";
import { drawFall, makeMaps } from "./network_layers_picture.js";

const TRAITS = ["image", "layer", "calibration", "activation_bits", "weight_bits"];

function render({ model, el }) {
  const layers = layersFrom(float32Values(model.get("parameters")));
  const images = unpackImages(model.get("pixels"));
  const outputs = []; // of each image in real numbers, once it has been shown
  const start = Object.fromEntries(TRAITS.map((name) => [name, model.get(name)]));
  const { root, controls, again, picture, maps, logits, result } = build(el, model);
  let stages = [];

  function show() {
    const traits = Object.fromEntries(TRAITS.map((name) => [name, model.get(name)]));
    const { image, layer, calibration, activation_bits: activationBits, weight_bits: weightBits } = traits;
    const ranges = model.get("calibrations")[calibration];
    outputs[image] ??= realOutputs(layers, images[image]);
    stages = runNetwork(layers, outputs[image], ranges, { activationBits, weightBits });
    const stage = stages.find(({ name }) => name === layer);
    draw(); // first, for it asks for the width, and changes before it would have to be laid out
    controls.image.input.value = String(image);
    controls.layer.input.value = layer;
    controls.calibration.input.value = calibration;
    showBits(controls.activations, activationBits[OBSERVED.indexOf(layer)], codesOf, "conv2's");
    showBits(controls.weights, weightBits[WEIGHTED.indexOf(layer)], String, "no weight");
    maps.block.hidden = layer === "fc";
    logits.hidden = layer !== "fc";
    if (layer === "fc") showLogits(logits, stage);
    else maps.show(stage);
    result.replaceChildren(...facts(findings(stages, stage, model.get("labels")[image])));
  }

  function draw() {
    drawFall(picture, stages, model.get("layer"));
  }

  function choose(traits) {
    for (const [name, value] of Object.entries(traits)) model.set(name, value);
    model.save_changes();
  }

  /** Let a slider set the bits of the layer that is looked at. */
  function setsBits({ input }, trait, names) {
    input.addEventListener("input", () => {
      const bits = [...model.get(trait)];
      bits[names.indexOf(model.get("layer"))] = Number(input.value);
      choose({ [trait]: bits });
    });
  }

  const { image, layer, calibration, activations, weights } = controls;
  image.input.addEventListener("change", () => choose({ image: Number(image.input.value) }));
  layer.input.addEventListener("change", () => choose({ layer: layer.input.value }));
  calibration.input.addEventListener("change", () => choose({ calibration: calibration.input.value }));
  setsBits(activations, "activation_bits", OBSERVED);
  setsBits(weights, "weight_bits", WEIGHTED);
  again.addEventListener("click", () => choose(start));

  // The model tells of every change, whether it comes from here, from Python or another view.
  show();
  const removers = [onChange(model, TRAITS, show), onResize(picture, draw)];
  return () => {
    removers.forEach((remove) => remove());
    root.remove();
  };
}

/** Make the controls, the pictures and the line of results. */
function build(el, model) {
  const root = panel(el, "qb-layers", "The network, layer by layer");
  const images = model.get("labels").map((label, i) => [String(i), `${i + 1}, a ${label}`]);
  const names = Object.keys(model.get("calibrations"));
  const controls = {
    layer: select("Look at", STAGES.map((name) => [name, name])),
    activations: slider("Code bits", 2, 8),
    weights: slider("Weight bits", 2, 8),
    calibration: select("Calibrated by", names.map((name) => [name, name])),
    image: select("Image", images),
  };
  const again = button("Start again");
  const picture = svg("svg", { role: "img" });
  const maps = makeMaps();
  const logits = element("table", { className: "qb-logits" });
  const result = resultLine();
  root.append(controlBar(controls, again), picture, maps.block, logits, result);
  return { root, controls, again, picture, maps, logits, result };
}

/** Show the bits of one layer, or why it has none to choose. */
function showBits(control, bits, print, otherwise) {
  control.input.disabled = bits === undefined;
  if (bits === undefined) control.show(control.input.value, otherwise);
  else control.show(bits, print(bits));
}

const codesOf = (bits) => `${bits} (0 … ${2 ** bits - 1})`;

/** The ten numbers that the digit is read from. */
function showLogits(table, { exact, restored, codes }) {
  const [best, bestCode] = [largestAt(exact), largestAt(codes)];
  const head = element("thead");
  head.append(tableRow(["digit", "in real numbers", "from the codes", "code"], "col"));
  const body = element("tbody");
  exact.forEach((number, digit) => {
    const row = tableRow([digit, number.toFixed(2), restored[digit].toFixed(2), codes[digit]], "row");
    row.cells[1].classList.toggle("qb-largest", digit === best);
    for (const at of [2, 3]) row.cells[at].classList.toggle("qb-largest", digit === bestCode);
    body.append(row);
  });
  table.replaceChildren(head, body);
}

/** A row that heads its columns, or one with a head of its own. */
function tableRow(values, scope) {
  const row = element("tr");
  values.forEach((value, i) => {
    const textContent = String(value).replace("-", "−");
    const heads = scope === "col" || i === 0;
    row.append(heads ? element("th", { textContent, scope }) : element("td", { textContent }));
  });
  return row;
}

/** The result, as pairs of name and value. */
function findings(stages, stage, label) {
  const { exact, restored, codes, qparams } = stage;
  const worst = largestAt(exact.map((number, i) => Math.abs(restored[i] - number)));
  const weakest = stages.reduce((least, other) => (other.ownSqnr < least.ownSqnr ? other : least));
  const last = stages.at(-1);
  return [
    ["Digit", `${largestAt(last.exact)} in real numbers, ${largestAt(last.codes)} in codes, drawn: ${label}`],
    ["Most error enters at", weakest.name],
    [`${stage.name}: SQNR`, decibels(stage.sqnr, 1)],
    ["by its own error alone", decibels(stage.ownSqnr, 1)],
    ["scale", compact(qparams.scale)],
    ["largest code", String(codes.reduce((most, code) => Math.max(most, code)))],
    ["worst number", `${compact(exact[worst])} became ${compact(restored[worst])} (code ${codes[worst]})`],
  ];
}

/** Images of 64 pixels, 0 to 1. */
function unpackImages(view) {
  const count = view.byteLength / 64;
  return Array.from({ length: count }, (_, i) =>
    Float64Array.from({ length: 64 }, (_, k) => view.getUint8(64 * i + k) / 16),
  );
}

export default { render };
