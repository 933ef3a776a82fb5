// The digits network: one image, layer by layer, in real numbers and in codes.

import { bothWays, largestAt, network, STAGES } from "../shared/digits_layers.js";
import * as draw from "../shared/drawing.js";
import { button, fields, hint, panel, results, select, slider, table } from "../shared/fields.js";
import { figure } from "../shared/figure.js";
import { html } from "../shared/html.js";
import { matrices, matrix } from "../shared/matrix.js";
import { compact, decibels, signed } from "../shared/print.js";
import { clamp } from "../shared/quantmath.js";
import { float32Values } from "../shared/values.js";

const [TOP, BOTTOM, HEIGHT] = [26, 116, 164]; // of the chart
const MOST = 60; // dB, at its upper end
const { ink } = draw;

export function view(state) {
  const stages = stagesOf(state);
  const chosen = STAGES.indexOf(state.layer);
  return panel(
    { name: "layers", label: "The network, layer by layer" },
    controls(state),
    hint("Drag the blue mark to conv1, then pull the bits of its weights down to 3."),
    chart(stages, chosen),
    state.layer === "fc" ? logits(stages[chosen]) : maps(stages[chosen]),
    results(found(stages, stages[chosen], state.labels[state.image])),
  );
}

function stagesOf({ parameters, pixels, image, calibrations, calibration, ...bits }) {
  const shown = float32Values(pixels).subarray(64 * image, 64 * (image + 1));
  const net = network(float32Values(parameters));
  return bothWays(net, shown, { ranges: calibrations[calibration], ...bits });
}

function controls({ layer, labels, image, calibrations, calibration, ...state }) {
  const bits = (label, trait, otherwise) => {
    const { [layer]: value } = state[trait];
    const text = value ? `${value}\u00a0bits` : otherwise;
    const named = { name: `${trait}.${layer}`, label: `${label} of ${layer}`, text };
    return slider({ ...named, value: value ?? 8, min: 2, max: 8, disabled: !value });
  };
  const names = Object.keys(calibrations);
  const ranges = { value: names.indexOf(calibration), options: [...names.entries()] };
  const images = labels.map((label, i) => [i, `${i + 1}, a ${label}`]);
  return fields(
    bits("Codes", "activation_bits", "as in conv2"),
    bits("Weights", "weight_bits", "none"),
    select({ name: "calibration", label: "Calibrated by", ...ranges }),
    select({ name: "image", label: "Image", value: image, options: images }),
    button({ name: "again", text: "Start again" }),
  );
}

/** Two lines over the layers: the ratio of the output, and of the layer's own error. */
function chart(stages, chosen) {
  const x = (i) => (100 * (i + 0.5)) / stages.length;
  const [total, own] = [ink.code, ink.lost].map((stroke) => ({ stroke, "stroke-width": 2 }));
  const { name, sqnr } = stages[chosen];
  const label = `Signal-to-noise ratio by layer: ${stages.map(spoken).join("; ")}.`;
  const picture = [
    draw.bar(x(chosen - 0.5), x(chosen + 0.5), 0, HEIGHT, ink.real, draw.wash),
    draw.line(0, BOTTOM, 100, BOTTOM),
    joined(stages, "ownSqnr", x, { r: 6, ...own }, { "stroke-dasharray": "5 3", ...own }),
    joined(stages, "sqnr", x, { r: 4, fill: ink.code }, total),
    stages.map((stage, i) => draw.text(x(i), BOTTOM + 28, stage.name)),
    stages.map((stage, i) => draw.text(x(i), BOTTOM + 42, decibels(stage.sqnr, 1))),
    draw.text(0, 13, `0 … ${MOST} dB; solid: the output, dashed: what enters there`, draw.start),
    html`<rect data-area="column" width="100%" height=${HEIGHT} fill="transparent" />`,
  ];
  const named = { name: "layer", label: "Layer to look at", text: `${name}, ${decibels(sqnr, 1)}` };
  const place = { domain: [0, stages.length - 1], at: x, y: BOTTOM };
  const handle = draw.held({ ...named, value: chosen, ...place });
  return draw.stage({ height: HEIGHT, label, left: 0, right: 0 }, picture, [handle]);
}

/** A dot for each ratio, and lines between them; nothing where there is no error at all. */
function joined(stages, key, x, dot, line) {
  const y = draw.upwards([0, MOST], BOTTOM, TOP);
  const points = stages.map((stage, i) => [x(i), y(clamp(stage[key], 0, MOST))]);
  const hasError = (i) => stages[i]?.[key] < Infinity;
  return points.map((point, i) => [
    hasError(i) && draw.dot(...point, "none", dot),
    hasError(i) && hasError(i + 1) && draw.line(...point, ...points[i + 1], line),
  ]);
}

const spoken = ({ name, sqnr, ownSqnr }) =>
  `${name} ${decibels(sqnr, 1)}, its own error alone ${decibels(ownSqnr, 1)}`;

/** The numbers as they should be and as the codes mean them, and how far the two are apart. */
function maps({ name, exact, restored }) {
  const error = exact.map((number, i) => restored[i] - number);
  const most = Math.max(...exact.map(Math.abs));
  const across = name === "input" ? 1 : 4; // channels side by side
  const side = Math.sqrt(exact.length) / across;
  const given = { of: name, block: [side, side] };
  return matrices(
    matrix("In real numbers", tiled(exact, across), {
      reach: most,
      above: "currentColor",
      ...given,
    }),
    matrix("From the codes", tiled(restored, across), { reach: most, ...given }),
    matrix("Difference", tiled(error, across), given),
  );
}

/** The rows of a square of channels, so many of them side by side. */
function tiled(numbers, across) {
  const side = Math.sqrt(numbers.length) / across;
  const places = [...Array(across * side).keys()].map((at) => [Math.floor(at / side), at % side]);
  const index = ([down, row], [right, column]) =>
    side ** 2 * (across * down + right) + side * row + column;
  return places.map((row) => places.map((column) => numbers[index(row, column)]));
}

/** The ten numbers that the digit is read from. */
function logits({ exact, restored, codes }) {
  const [best, bestCode] = [exact, codes].map(largestAt);
  const cell = (text, digit, largest) => (digit === largest ? html`<b>${text}</b>` : text);
  const row = (number, digit) => [
    `${digit}`,
    cell(signed(number, 2), digit, best),
    cell(signed(restored[digit], 2), digit, bestCode),
    cell(`${codes[digit]}`, digit, bestCode),
  ];
  return table(["digit", "in real numbers", "from the codes", "code"], Array.from(exact, row));
}

/** The result in print. */
function found(stages, { name, exact, restored, codes, qparams, sqnr, ownSqnr }, label) {
  const worst = largestAt(exact.map((number, i) => Math.abs(restored[i] - number)));
  const weakest = stages.reduce((least, other) => (other.ownSqnr < least.ownSqnr ? other : least));
  const [real, coded] = [stages.at(-1).exact, stages.at(-1).codes].map(largestAt);
  const became = `${compact(exact[worst])} became ${compact(restored[worst])}`;
  return [
    ["Digit", `${real} in real numbers, ${coded} in codes, drawn: ${label}`],
    ["Most error enters at", weakest.name],
    [`${name}: SQNR`, decibels(sqnr, 1)],
    ["by its own error alone", decibels(ownSqnr, 1)],
    ["scale", compact(qparams.scale)],
    ["largest code", `${Math.max(...codes)}`],
    ["worst number", `${became} (code ${codes[worst]})`],
  ];
}

/** What changes in the state with an input, the button, or a point in the chart. */
export function changed({ calibrations, ...state }, name, value, opening) {
  if (name === "again") return opening;
  if (name === "calibration") return { calibration: Object.keys(calibrations)[value] };
  if (name === "layer") return { layer: STAGES[value] };
  if (name === "column") return { layer: STAGES[clamp(Math.floor(5 * value[0]), 0, 4)] };
  const [trait, layer] = name.split(".");
  return { [trait]: layer ? { ...state[trait], [layer]: value } : value };
}

const traits =
  "parameters pixels labels calibrations image layer calibration activation_bits weight_bits";
export default figure({ traits: traits.split(" "), view, changed });
