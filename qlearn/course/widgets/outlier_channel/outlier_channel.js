// A loud channel: enlarge it, and see what int8 codes and three remedies make of the layer.

import * as draw from "../shared/drawing.js";
import * as field from "../shared/fields.js";
import { figure } from "../shared/figure.js";
import { html } from "../shared/html.js";
import { matrices, matrix, outlines } from "../shared/matrix.js";
import { decibels, percent } from "../shared/print.js";
import { clamp, rowsOf } from "../shared/quantmath.js";
import { float32Values } from "../shared/values.js";
import { enlarged, outcome } from "./remedies.js";

const FACTORS = [1, 2, 3, 5, 10, 20, 30, 50, 100];
const NAMES = ["none", "llm_int8", "smooth", "hadamard"];
const TITLES = ["nothing", "LLM.int8()", "SmoothQuant", "Hadamard"];
const NONE = { label: "Setting", value: 0, max: 1, text: "none", disabled: true };
const SETTINGS = {
  llm_int8: { name: "threshold", label: "Threshold", min: 0.5, max: 20, step: 0.5 },
  smooth: { name: "alpha", label: "Alpha", max: 1, step: 0.05 },
};
const TASK = "reach 40 dB at ×100 with one scale for the whole input and no channel in float.";
const [ROW, LOW, LEFT, RIGHT] = [24, 96, 92, 60]; // of a bar, of all, and beside them, in pixels

export function view(state) {
  const { values, tokens, channels, channel, factor, scales, remedy } = state;
  const rows = rowsOf(float32Values(values), channels).map((row) => [...row]);
  const layer = [rows.slice(0, tokens), rows.slice(tokens)];
  const all = NAMES.map((name) => outcome(layer, { ...state, remedy: name }));
  const now = all[NAMES.indexOf(remedy)];
  const inInt8 = factor === 100 && scales === "tensor" && !now.float.includes(true);
  return field.panel(
    { name: "outlier-channel", label: "A loud channel, and three remedies" },
    controls(state),
    field.hint("Tap or click a remedy's row to choose it, or a column: it becomes the loud one."),
    enlarged(layer, channel, factor).map((before, i) => maps(i, before, now, state)),
    bars(all, remedy),
    field.results(found(now, outcome(layer, { ...state, factor: 1, remedy: "none" }))),
    field.task(inInt8 && now.sqnr > 40, TASK),
  );
}

function controls({ channels, channel, factor, scales, remedy, ...state }) {
  const sizes = { stops: FACTORS, value: FACTORS.indexOf(factor), text: `×${factor}` };
  const oneFor = { tensor: "the whole input", token: "each token" };
  const value = NAMES.indexOf(remedy);
  const own = SETTINGS[remedy]; // where it has none, its room stays, or all below would leap
  return field.fields(
    field.slider({ name: "channel", label: "Channel", value: channel, max: channels - 1 }),
    field.slider({ name: "factor", label: "Its inputs", ...sizes }),
    field.select({ name: "scales", label: "A scale for", value: scales, options: oneFor }),
    field.select({ name: "remedy", label: "Remedy", value, options: TITLES }),
    field.slider(own ? { ...own, value: state[own.name] } : NONE),
  );
}

/** Inputs or weights: in float, as they are rounded, and their codes, in boxes of one scale. */
function maps(part, before, { rounded, codes, float }, { channel, scales }) {
  const size = [before.length, float.length];
  const of = `${size[0]} ${["tokens", "outputs"][part]} by ${size[1]} channels`;
  const column = (k) => [0, k, size[0], 1];
  const loose = float.flatMap((is, k) => (is ? [column(k)] : []));
  const single = scales === "tensor" && part === 0;
  const boxes = single ? [[0, 0, ...size]] : before.map((_, row) => [row, 0, 1, size[1]]);
  const map = (title, rows, more) => matrix(title, rows.flat(), { of, size, ...more });
  const title = ["Inputs", "Weights"][part];
  const real = (title, rows, more) => map(title, rows, { fill: "currentColor", ...more });
  return matrices(
    real(title, before, { name: "column", over: outlines([column(channel)]) }),
    real(`${title} to round`, rounded[part], { over: outlines(loose, { stroke: draw.ink.real }) }),
    map("Codes", codes[part], { reach: 127, over: outlines(boxes, { opacity: 0.35 }) }),
  );
}

/** For each remedy a bar, as long as the SQNR of the outputs; that of the chosen one is filled. */
function bars(all, chosen) {
  const [x, said] = [draw.across([0, 60]), all.map(({ sqnr }) => decibels(sqnr, 1))];
  const weight = (i) => NAMES[i] === chosen && { "font-weight": "bold" };
  const looks = NAMES.map((name) => (name === chosen ? [draw.ink.code] : draw.hollow));
  const bar = ({ sqnr }, i) => [
    draw.text(0, i * ROW + 17, TITLES[i], { ...draw.end, dx: -6, ...weight(i) }),
    draw.bar(0, x(sqnr), i * ROW + 5, i * ROW + 19, ...looks[i]),
    draw.text(x(sqnr), i * ROW + 17, said[i], { ...draw.start, dx: 5 }),
  ];
  const name = "SQNR of the outputs in dB";
  const label = `${name}: ${said.map((each, i) => `${TITLES[i]} ${each}`).join("; ")}.`;
  const axis = draw.axis([0, 60], LOW, { ticks: [0, 20, 40, 60], name });
  const rows = html`<rect data-tap="bar" x=${-LEFT} height=${LOW} fill="transparent"
    style=${`width: calc(100% + ${LEFT + RIGHT}px)`} />`;
  const size = { height: LOW + 38, label, left: LEFT, right: RIGHT };
  return draw.stage(size, [all.map(bar), axis, rows]);
}

function found({ codes: [inputs], float, sqnr }, usual) {
  const coded = inputs.flatMap((row) => row.filter((_, k) => !float[k]));
  const zeros = coded.filter((code) => code === 0).length;
  return [
    ["SQNR of the outputs", decibels(sqnr, 1)],
    ["at ×1 with nothing", decibels(usual.sqnr, 1)],
    ["Inputs whose code is 0", percent(zeros / (coded.length || 1))],
    ["Channels in float", `${float.filter(Boolean).length} of ${float.length}`],
  ];
}

/** What changes with an input, or a point in the inputs, the weights or the bars. */
export function changed({ channels }, name, value) {
  const place = (share, count) => clamp(Math.floor(share * count), 0, count - 1);
  if (name === "factor") return { factor: FACTORS[value] };
  if (name === "remedy") return { remedy: NAMES[value] };
  if (name === "bar") return { remedy: NAMES[place(value[1], NAMES.length)] };
  if (name === "column") return { channel: place(value[0], channels) };
  return { [name]: value };
}

const traits = "values tokens channels channel factor scales remedy threshold alpha";
export default figure({ traits: traits.split(" "), view, changed });
