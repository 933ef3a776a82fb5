// A dynamic linear layer: edit an input or a weight, and follow it through the integers.

import * as draw from "../shared/drawing.js";
import { dynamicLinear } from "../shared/dynamic_linear.js";
import * as field from "../shared/fields.js";
import { figure } from "../shared/figure.js";
import { html } from "../shared/html.js";
import { compact, decimal, shortest, signed, span } from "../shared/print.js";
import { roomFor } from "../shared/values.js";

const KERNELS = [
  { engine: "fbgemm", reduce_range: true },
  { engine: "fbgemm", reduce_range: false },
  { engine: "qnnpack", reduce_range: false }, // which ignores it
];

const [ROW, MOST] = [26, 1e6]; // pixels from row to row of the picture; the size of a number
const TASK = "let all numbers of row 1 have the same code, though no two are equal.";

export function view({ followed, wrong, ...layer }) {
  const at = [layer.x, layer.weight].map((rows, i) => Math.min(followed[i], rows.length - 1));
  const stages = { ...layer, ...dynamicLinear(layer), at };
  const [inputs, weights, outputs] = tables(stages);
  return field.panel(
    { name: "dynamic-linear", label: "A dynamic linear layer" },
    controls(stages),
    field.hint("Drag a dot of row 2, or type a larger number: what becomes of the codes of row 1?"),
    numberLine(stages),
    field.columns(
      html`<div style="align-self: start">${inputs}${weights}</div>`,
      html`<div style="align-self: start">${steps(stages)}${outputs}</div>`,
    ),
    field.results(found(stages), { wrong }),
    field.task(isDone(stages), TASK, wrong),
  );
}

const kinds = (numbers) => new Set(numbers).size;
const isDone = ({ x, xCodes }) => kinds(x[0]) === x[0].length && kinds(xCodes[0]) === 1;

function controls({ outputs, at, reduced, engine }) {
  const place = (i, j) => [`${i},${j}`, `row ${i + 1}, output ${j + 1}`];
  const places = outputs.flatMap((row, i) => row.map((_, j) => place(i, j)));
  const kernels = KERNELS.map((each) => `${each.engine}, 0…${each.reduce_range ? 127 : 255}`);
  const isTaken = (each) => each.engine === engine && each.reduce_range === reduced;
  const kernel = { name: "kernel", label: "Engine, codes of x", value: KERNELS.findIndex(isTaken) };
  return field.fields(
    field.select({ name: "followed", label: "Follow", value: at.join(), options: places }),
    field.select({ ...kernel, options: kernels }),
    field.button({ name: "again", text: "Start again" }),
  );
}

/** Each row of x over the ruler of their codes, to drag; the numbers that are followed are filled. */
function numberLine({ x, xQParams, xCodes, room, at: [row] }) {
  const { domain, step } = roomFor(x.flat(), room, MOST);
  const [at, low] = [draw.across(domain), ROW * x.length + 16];
  const dot = (i) => (value, k) => {
    const [y, fill] = [ROW * (i + 0.5), i === row ? draw.ink.real : "none"];
    const mark = draw.dot(at(value), y, fill, { stroke: draw.ink.real, r: 7 });
    const named = { name: `x.${i}.${k}`, label: `Dot of row ${i + 1}, number ${k + 1}`, mark };
    const text = `${compact(value)}, code ${xCodes[i][k]}`;
    return draw.held({ ...named, value, text, domain, step, at, y });
  };
  const names = x.map((_, i) => draw.text(0, ROW * (i + 0.5) + 4, `row ${i + 1}`, draw.end));
  const label = `Number line: x, ${span(x.flat())}, over the ruler of its codes.`;
  const picture = [names, draw.ruler(xQParams, domain, [low - 12, low]), draw.axis(domain, low)];
  const handles = x.flatMap((numbers, i) => numbers.map(dot(i)));
  return draw.stage({ height: low + 24, label, left: 44 }, picture, handles);
}

const code = (value) => html`<div class="qb-code">${signed(value)}</div>`;
const edited = (name, aria, value) =>
  field.bareNumber({ name, aria, value: shortest(value), min: -MOST, max: MOST, step: 0.1 });

/** A table with two lines in each cell; what is followed is marked. */
function grid(heads, word, cells, isFollowed) {
  const cell = (i) => (lines, k) =>
    html`<div class=${isFollowed(i, k) && "qb-followed"}>${lines}</div>`;
  const rows = cells.map((row, i) => [`${word}\u00a0${i + 1}`, ...row.map(cell(i))]);
  return field.numberTable(heads, rows, heads[0]);
}

/** The lines of each cell: a number to edit, and its code. */
const coded = (trait, word, numbers, codes) =>
  numbers.map((row, i) =>
    row.map((value, k) => {
      const aria = `${trait}, ${word} ${i + 1}, number ${k + 1}`;
      return [edited(`${trait}.${i}.${k}`, aria, value), code(codes[i][k])];
    }),
  );

function tables({ x, weight, bias, xCodes, wCodes, sums, outputs, at: [row, output] }) {
  const last = (j) => [edited(`bias.${j}`, `bias, output ${j + 1}`, bias[j]), code(sums[j])];
  const weights = coded("weight", "output", weight, wCodes).map((cells, j) => [...cells, last(j)]);
  const lines = ({ y, exact }) => [compact(y), html`<div>${compact(exact)}</div>`];
  const ends = outputs.map((all) => all.map(lines));
  const heads = (name, list) => [name, ...list.map((_, i) => `${i + 1}`)];
  return [
    grid(heads("x, code", x[0]), "row", coded("x", "row", x, xCodes), (i) => i === row),
    grid([...heads("w, code", weight[0]), "bias, Σ"], "output", weights, (j) => j === output),
    grid(heads("output, exact", bias), "row", ends, (i, j) => i === row && j === output),
  ];
}

/** The way of one output: products, offset, accumulator, multiplier, bias. */
function steps({ xQParams, xCodes, wCodes, sums, multiplier, outputs, bias, engine, at: [i, j] }) {
  const { product, offset, total, y, exact } = outputs[i][j];
  const products = xCodes[i].map((each, k) => {
    const factor = wCodes[j][k];
    return [`${each} · ${signed(factor)}`, signed(each * factor)];
  });
  const rounding = engine === "fbgemm" ? "rounded once" : "each rounded";
  const strong = (...cells) => cells.map(field.strong);
  const rest = [
    strong("Sum of the products", signed(product)),
    [`Zero point · offset: ${xQParams.zeroPoint} · ${signed(sums[j])}`, signed(offset)],
    strong("Accumulator, the difference", signed(total)),
    ["Multiplier: scale of x · scale of w", compact(multiplier)],
    ["Bias, never quantized", compact(bias[j])],
    strong(`Accumulator · multiplier + bias, ${rounding}`, decimal(y, 6)),
    ["Without any rounding", decimal(exact, 6)],
  ];
  return field.numberTable(["Step", "Number"], [...products, ...rest], "Steps");
}

/** The result in print. */
function found({ x, xQParams, wQParams, outputs, at: [row, output] }) {
  const { total, y, exact } = outputs[row][output];
  return [
    ["x", span(x.flat())],
    ["its scale", `${compact(xQParams.scale)}, zero point ${xQParams.zeroPoint}`],
    ["Scale of w", compact(wQParams.scale)],
    [`Row ${row + 1}, output ${output + 1}: accumulator`, signed(total)],
    ["output", decimal(y, 6)],
    ["exactly", decimal(exact, 6)],
    ["error", compact(y - exact)],
  ];
}

/** What changes with a number, which is then followed, a choice or the button. */
export function changed(state, name, value, opening) {
  if (name === "again") return opening;
  if (name === "kernel") return KERNELS[value];
  if (name === "followed") return { followed: value.split(",").map(Number) };
  const [trait, i] = name.split(".");
  const followed = state.followed.with(trait === "x" ? 0 : 1, Number(i));
  const room = state.pointing ? roomFor(state.x.flat(), state.room, MOST) : null; // else anew
  return { followed, room, ...field.replaced(state, name, value) };
}

const traits = ["x", "weight", "bias", "engine", "reduce_range"];
const local = { followed: [0, 0], room: null, pointing: false, wrong: null };
export default figure({ traits, view, changed, local, linked: ["followed"] });
