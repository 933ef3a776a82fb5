// The digits network: one image, layer by layer, in real numbers and in codes.

import { bothWays, largestAt, network, REDUCED_BITS, STAGES } from "../shared/digits_layers.js";
import * as draw from "../shared/drawing.js";
import * as field from "../shared/fields.js";
import { figure } from "../shared/figure.js";
import { matrices, matrix } from "../shared/matrix.js";
import { compact, decibels, signed } from "../shared/print.js";
import { clamp, largestSize, rowsOf } from "../shared/quantmath.js";
import { float32Values, latest, once } from "../shared/values.js";

const [TOP, BOTTOM, HEIGHT] = [26, 116, 164]; // of the chart
const MOST = 60; // dB, at its upper end
const REDUCED = "8\u00a0bits, reduced"; // longer words have no room on a phone
const PAST = "; reduced range chose the scale for 127, and codes may pass that";

export function view(state) {
  const stages = stagesOf(state);
  const chosen = STAGES.indexOf(state.layer);
  return field.panel(
    { name: "layers", label: "The network, layer by layer" },
    field.hint("Drag the blue mark to a layer, then pull the bits of this layer down."),
    chart(stages, chosen), // first, since its mark says of which layer the controls are
    controls(state),
    state.layer === "fc" ? logits(stages[chosen]) : maps(stages[chosen]),
    field.results(found(stages, stages[chosen], state)),
    field.task(
      Object.values(state.activation_bits).includes(4) && stages.at(-1).sqnr > 34,
      "give the codes of a layer 4 bits, and yet keep 34 dB at fc.",
    ),
  );
}

const imagesOf = once((pixels) => rowsOf(float32Values(pixels), 64));
const kept = latest((parameters, pixels, image, ranges, activation_bits, weight_bits) => {
  const settings = { ranges, activation_bits, weight_bits };
  return bothWays(network(parameters), imagesOf(pixels)[image], settings);
});

function stagesOf({ parameters, pixels, image, calibrations, calibration, ...bits }) {
  const { activation_bits, weight_bits } = bits;
  return kept(parameters, pixels, image, calibrations[calibration], activation_bits, weight_bits);
}

function controls({ layer, labels, image, calibrations, calibration, ...state }) {
  const bits = (label, trait, otherwise) => {
    const { [layer]: value } = state[trait];
    const texts = trait === "activation_bits" ? [REDUCED] : undefined;
    const inPrint = texts && value === REDUCED_BITS ? REDUCED : `${value}\u00a0bits`;
    const text = value ? inPrint : otherwise;
    const named = { name: `${trait}.${layer}`, label: `${label} of ${layer}`, text, texts };
    return field.slider({ ...named, value: value ?? 8, min: 2, max: 8, disabled: !value });
  };
  const ranges = field.among(Object.keys(calibrations), calibration);
  const images = labels.map((label, i) => `${i + 1}, a ${label}`);
  return field.fields(
    bits("Codes", "activation_bits", "as in conv2"),
    bits("Weights", "weight_bits", "none"),
    field.select({ name: "calibration", label: "Calibrated by", ...ranges }),
    field.select({ name: "image", label: "Image", value: image, options: images }),
    field.button({ name: "again", text: "Start again" }),
  );
}

/** Two lines over the layers: the ratio of the output, and of the layer's own error. */
function chart(stages, chosen) {
  const x = (i) => (100 * (i + 0.5)) / stages.length;
  const total = { stroke: draw.ink.code, "stroke-width": 2 };
  const own = { stroke: draw.ink.lost, "stroke-width": 2 };
  const { name, sqnr } = stages[chosen];
  const label = `Signal-to-noise ratio by layer: ${stages.map(spoken).join("; ")}.`;
  const picture = [
    draw.bar(x(chosen - 0.5), x(chosen + 0.5), 0, HEIGHT, draw.ink.real, draw.wash),
    draw.line(0, BOTTOM, 100, BOTTOM),
    joined(stages, "ownSqnr", x, { r: 6, ...own }, { "stroke-dasharray": "5 3", ...own }),
    joined(stages, "sqnr", x, { r: 4, fill: draw.ink.code }, total),
    stages.map((stage, i) => draw.text(x(i), BOTTOM + 28, stage.name)),
    stages.map((stage, i) => draw.text(x(i), BOTTOM + 42, decibels(stage.sqnr, 1))),
    draw.byRoom(
      draw.text(0, 13, `0 … ${MOST} dB; solid: the output, dashed: what enters there`, draw.start),
      draw.text(0, 13, "solid: output, dashed: what enters", draw.start),
    ),
    draw.target("column", 0, HEIGHT),
  ];
  const named = { name: "layer", label: "Layer to look at", text: `${name}, ${decibels(sqnr, 1)}` };
  const place = { domain: [0, stages.length - 1], at: x, y: BOTTOM };
  const handle = draw.held({ ...named, value: chosen, ...place });
  return draw.stage({ height: HEIGHT, label, left: 0, right: 0 }, picture, [handle]);
}

/** A dot for each ratio, and lines between them; nothing where there is no error at all. */
function joined(stages, key, x, dot, line) {
  const y = draw.upwards([0, MOST], BOTTOM, TOP);
  const place = ({ [key]: ratio }, i) => ratio < Infinity && [x(i), y(clamp(ratio, 0, MOST))];
  const places = stages.map(place);
  return places.map((at, i) => [
    at && draw.dot(...at, "none", dot),
    at && places[i + 1] && draw.line(...at, ...places[i + 1], line),
  ]);
}

const spoken = ({ name, sqnr, ownSqnr }) =>
  `${name} ${decibels(sqnr, 1)}, its own error alone ${decibels(ownSqnr, 1)}`;

/** The numbers as they should be and as the codes mean them, and how far the two are apart. */
function maps({ name, exact, restored, error }) {
  const reach = largestSize(exact);
  const across = name === "input" ? 1 : 4; // channels side by side
  const side = Math.sqrt(exact.length) / across;
  const given = { of: name, size: [side, side], across };
  return matrices(
    matrix("In real numbers", exact, { reach, fill: "currentColor", ...given }),
    matrix("From the codes", restored, { reach, ...given }),
    matrix("Difference", error, { fill: draw.ink.lost, ...given }),
  );
}

/** The ten numbers that the digit is read from; the largest of each kind is bold. */
function logits({ exact, restored, codes }) {
  const column = (numbers, digits) => {
    const best = largestAt(numbers);
    const inPrint = Array.from(numbers, (number) => signed(number, digits));
    return inPrint.map((text, digit) => (digit === best ? field.strong(text) : text));
  };
  const columns = [column(exact, 2), column(restored, 2), column(codes)];
  const rows = columns[0].map((_, i) => [`${i}`, ...columns.map((column) => column[i])]);
  return field.table(["digit", "in real numbers", "from the codes", "code"], rows);
}

/** The result in print. */
function found(stages, stage, { labels, image, activation_bits: bits }) {
  const { name, exact, restored, error, codes, qparams, ...ratios } = stage;
  const isReduced = bits[name === "pool" ? "conv2" : name] === REDUCED_BITS;
  const worst = largestAt(error.map(Math.abs));
  const weakest = stages.reduce((least, other) => (other.ownSqnr < least.ownSqnr ? other : least));
  const [real, coded] = [stages.at(-1).exact, stages.at(-1).codes].map(largestAt);
  const became = `${compact(exact[worst])} became ${compact(restored[worst])}`;
  return [
    ["Digit", `${real} in real numbers, ${coded} in codes, drawn: ${labels[image]}`],
    ["Most error enters at", weakest.name],
    [`${name}: SQNR`, decibels(ratios.sqnr, 1)],
    ["by its own error alone", decibels(ratios.ownSqnr, 1)],
    ["scale", compact(qparams.scale)],
    ["largest code", `${Math.max(...codes)}${isReduced ? PAST : ""}`],
    ["worst number", `${became} (code ${codes[worst]})`],
  ];
}

/** What changes in the state with an input, the button, or a point in the chart. */
export function changed(state, name, value, opening) {
  if (name === "again") return opening;
  if (name === "calibration") return { calibration: Object.keys(state.calibrations)[value] };
  if (name === "layer") return { layer: STAGES[value] };
  if (name === "column") return { layer: STAGES[clamp(Math.floor(5 * value[0]), 0, 4)] };
  return field.replaced(state, name, value);
}

const traits =
  "parameters pixels labels calibrations image layer calibration activation_bits weight_bits";
export default figure({ traits: traits.split(" "), view, changed });
