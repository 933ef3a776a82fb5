// A weight in codes: choose bits and who shares a scale, and see what the whole model loses.

import * as draw from "../shared/drawing.js";
import * as field from "../shared/fields.js";
import { figure } from "../shared/figure.js";
import { html } from "../shared/html.js";
import { matrices, matrix } from "../shared/matrix.js";
import { decimal, percent } from "../shared/print.js";
import { largestSize } from "../shared/quantmath.js";
import { float32Values } from "../shared/values.js";
import { bitsPerWeight, COLUMNS, quantized, regionOf } from "./regions.js";

const { ink } = draw;
const BITS = [8, 6, 4, 3, 2];
const SHARED = ["tensor", "channel", 32, 16, 8];
const SHARING = ["the tensor", "a channel", "32 weights", "16 weights", "8 weights"];
const [COSTS, TOP, BOTTOM] = [[1.7, 10.3], 18, 190]; // the chart's ends: in bits, and in pixels
const TASK = "come within 0.02 bits per byte of float32, with at most 5 bits for each weight.";

export function view(state) {
  const found = quantized(float32Values(state.values), float32Values(state.largest), state);
  const row = rowOf(state.grid, state);
  const [cost, lost] = [bitsPerWeight(row, state.shape), row[2] - state.exact];
  const more = `${Math.abs(lost).toFixed(4)} ${lost < 0 ? "less" : "more"} than float32`;
  return field.panel(
    { name: "quantized-matrix", label: "A weight in codes" },
    field.hint("Drag the blue mark under the curves, and let fewer numbers share a scale."),
    pictures(state, found),
    controls(state),
    field.columns(chart(state, row, cost), sample(state)),
    field.results([
      ["Bits for each weight", decimal(cost, 4)],
      ["Scales in the picture", `${found.scales}`],
      [state.codes ? "Error of these codes" : "Error of what comes back", percent(found.share)],
      ["Bits per byte of the model", `${row[2].toFixed(4)}, ${more}`],
    ]),
    field.task(cost <= 5 && lost <= 0.02, TASK),
  );
}

function controls({ shared, codes }) {
  const value = SHARED.indexOf(shared);
  return field.fields(
    field.either("codes", "In the middle", codes, ["the codes", "what comes back"]),
    field.slider({ name: "sharing", label: "Scale of", stops: SHARING, value }),
  );
}

/** The numbers, what becomes of them, and the difference; gaps lie where a scale's region ends. */
function pictures({ values, bits, shared, codes: inCodes }, { codes, restored, error }) {
  const numbers = [...float32Values(values)];
  const reach = largestSize(numbers);
  const size = regionOf(shared);
  const look = { size, across: COLUMNS / size[1], gap: 0.25, of: "a part of the weight", reach };
  const middle = inCodes
    ? matrix("Codes", codes, { ...look, reach: 2 ** (bits - 1) })
    : matrix("From codes", restored, look);
  const difference = matrix("Error", error, { ...look, reach: reach / 4, fill: ink.lost });
  const given = matrix("The numbers", numbers, { ...look, fill: "currentColor" });
  return matrices(given, middle, difference);
}

/** Bits per byte, as logarithms, over bits for each weight: a line for each sharing. */
function chart(state, now, cost) {
  const all = state.grid.map((row) => row[2]);
  const ends = [0.94 * Math.min(state.exact, ...all), 1.06 * Math.max(8, ...all)];
  const upwards = draw.upwards(ends.map(Math.log), BOTTOM, TOP);
  const [x, y] = [draw.across(COSTS), (value) => upwards(Math.log(value))];
  const at = (row) => [x(bitsPerWeight(row, state.shape)), y(row[2])];
  const lines = SHARED.map((shared) => {
    const rows = state.grid.filter((row) => row[1] === shared).sort((a, b) => a[0] - b[0]);
    const look = shared === state.shared ? { stroke: ink.code, "stroke-width": 2 } : undefined;
    return draw.curve(rows.map(at), look ?? { stroke: ink.real, "stroke-opacity": 0.7 });
  });
  const level = (value, words, stroke) => [
    draw.line(0, y(value), 100, y(value), { stroke, "stroke-dasharray": "4 3" }),
    draw.text(100, y(value) - 5, words, draw.end),
  ];
  const label = `Bits per byte over bits: now ${now[2].toFixed(4)} at ${decimal(cost, 4)} bits.`;
  const bits = { name: "bits", label: "Bits", value: state.bits, domain: [BITS.at(-1), BITS[0]] };
  const place = (each) => x(bitsPerWeight([each, state.shared], state.shape));
  const drawn = [
    draw.levels([1.5, 2, 3, 4, 6], y),
    draw.text(0, 10, "bits per byte", { ...draw.start, dx: -26 }),
    level(state.exact, "float32", ink.real),
    level(8, "8: every byte a guess", ink.lost),
    draw.plot(TOP, BOTTOM - TOP, lines),
    draw.dot(...at(now), ink.code),
    draw.line(x(cost), y(now[2]), x(cost), BOTTOM, { stroke: ink.code }),
    draw.axis(COSTS, BOTTOM, { ticks: [2, 4, 6, 8], name: "bits for each weight, with its scale" }),
  ];
  const held = draw.held({ ...bits, text: `${state.bits} bits`, at: place, y: BOTTOM });
  return draw.stage({ height: BOTTOM + 42, label, left: 28, right: 4 }, drawn, [held]);
}

const rowOf = (rows, { bits, shared }) => rows.find((row) => row[0] === bits && row[1] === shared);

function sample(state) {
  const text = rowOf(state.texts, state)?.[2] ?? "No text was kept for this setting.";
  return html`<div><b>The model writes</b><p style="overflow-wrap: anywhere">${text}</p></div>`;
}

/** What changes in the state; where the model has no such bits, the mark goes on to the next. */
export function changed(state, name, value) {
  const next = value > state.bits ? BITS.findLast((b) => b >= value) : BITS.find((b) => b <= value);
  if (name === "bits") return { bits: next };
  if (name === "sharing") return { shared: SHARED[value] };
  return field.replaced(state, name, value);
}

const traits = "values largest shape grid exact texts bits shared codes";
export default figure({ traits: traits.split(" "), view, changed });
