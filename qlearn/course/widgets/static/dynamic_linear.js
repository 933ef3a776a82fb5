// A dynamic linear layer: edit an input or a weight, and follow it through the integers.

import { ENGINES, dynamicLinear } from "./dynamic_linear_math.js";
import { compact, element, select } from "./drawing.js";
import { button, controlBar, onChange, panel, resultLine } from "./panel.js";
import { decimal, fieldTable, numberTable, signedNumber, stepList, steps } from "./dynamic_linear_tables.js";

const NUMBERS = ["x", "weight", "bias"];
const TRAITS = [...NUMBERS, "engine", "reduce_range"];

function render({ model, el }) {
  const start = Object.fromEntries(TRAITS.map((name) => [name, model.get(name)]));
  const parts = build(el, start, edit);
  let followed = [0, 0]; // row of x, output

  /** Compute all stages anew, and show them. */
  function show() {
    const [x, weight, bias, engine, reduceRange] = TRAITS.map((name) => model.get(name));
    const stages = dynamicLinear(x, weight, bias, { engine, reduceRange });
    parts.controls.engine.input.value = engine;
    parts.controls.range.input.value = String(stages.input.reduced);
    parts.controls.range.input.disabled = engine === "qnnpack"; // which takes 0 … 255 always
    parts.controls.output.input.value = followed.join();
    parts.fields.x.show(x, [followed[0]]);
    parts.fields.weight.show(weight, [followed[1]]);
    parts.fields.bias.show([bias], [], followed[1]);
    showCodes(parts, stages, followed);
    parts.sum.show(steps(stages, followed, bias, engine));
    parts.outputs.show(stages.outputs.map((row) => row.map(({ y }) => decimal(y))), ...followed);
    parts.exact.show(stages.exact.map((row) => row.map(decimal)), ...followed);
    parts.result.textContent = sentence(stages, followed, engine);
  }

  function put(traits) {
    for (const [name, value] of Object.entries(traits)) model.set(name, value);
    model.save_changes();
  }

  /** Take a number that was typed, and follow the row or the output that it belongs to. */
  function edit(name, i, j, number) {
    if (name === "x") followed = [i, followed[1]];
    else followed = [followed[0], name === "weight" ? i : j];
    const changed = (row) => row.map((old, column) => (column === j ? number : old));
    const rows = model.get(name);
    put({ [name]: name === "bias" ? changed(rows) : rows.map((r, k) => (k === i ? changed(r) : r)) });
  }

  const { engine, range, output } = parts.controls;
  engine.input.addEventListener("change", () => put({ engine: engine.input.value }));
  range.input.addEventListener("change", () => put({ reduce_range: range.input.value === "true" }));
  output.input.addEventListener("change", () => {
    followed = output.input.value.split(",").map(Number);
    show();
  });
  parts.again.addEventListener("click", () => {
    followed = [0, 0];
    put(start);
    show();
  });

  // The model tells of every change, whether it comes from here, from Python or another view.
  const stop = onChange(model, TRAITS, show);
  show();
  return () => {
    stop();
    parts.root.remove();
  };
}

/** Make controls, tables and the sentence that is read out. */
function build(el, { x, weight }, edit) {
  const root = panel(el, "qb-dynamic-linear", "A dynamic linear layer");
  const [rows, outputs] = [x, weight].map((matrix) => matrix.map((_, i) => i + 1));
  const cells = rows.flatMap((i) => outputs.map((j) => [`${i - 1},${j - 1}`, `row ${i}, output ${j}`]));
  const controls = {
    output: select("Follow", cells),
    range: select("Codes of the input", [["true", "0 … 127 (reduced)"], ["false", "0 … 255"]]),
    engine: select("Engine", ENGINES.map((name) => [name, name])),
  };
  const again = button("Start again");
  const columns = x[0].map((_, k) => `${k + 1}`);
  const named = (word, list) => list.map((i) => `${word} ${i}`);
  const fields = {
    x: fieldTable("Input x", named("row", rows), columns, (...at) => edit("x", ...at)),
    weight: fieldTable("Weight w", named("output", outputs), columns, (...at) => edit("weight", ...at)),
    bias: fieldTable("Bias b", ["bias"], named("output", outputs), (...at) => edit("bias", ...at)),
  };
  const codes = numberTable("Codes of x", named("row", rows), columns);
  const weights = numberTable("Codes of w, and their sum", named("output", outputs), [...columns, "Σ"]);
  const results = numberTable("Output of the layer", named("row", rows), named("output", outputs));
  const exact = numberTable("The same layer without rounding", named("row", rows), named("output", outputs));
  const [ofInput, ofWeight] = [0, 1].map(() => element("p"));
  const sum = stepList();
  const stages = element("div", { className: "qb-stages" });
  stages.append(
    stage("1. Real numbers: edit any of them", fields.x.table, fields.weight.table, fields.bias.table),
    stage("2. Ranges, scales and codes", ofInput, codes.table, ofWeight, weights.table),
    stage("3. One output, in integers and back", sum.list),
    stage("4. All outputs", results.table, exact.table),
  );
  const result = resultLine();
  root.append(controlBar(controls, again), stages, result);
  return { root, controls, again, fields, codes, weights, ofInput, ofWeight, sum, outputs: results, exact, result };
}

function stage(name, ...content) {
  const block = element("div", { className: "qb-stage" });
  block.append(element("p", { className: "qb-stage-name", textContent: name }), ...content);
  return block;
}

function showCodes({ ofInput, ofWeight, codes, weights }, { input, weight }, [row, output]) {
  ofInput.textContent =
    `x from ${compact(input.low)} to ${compact(input.high)}: ` +
    `scale ${compact(input.scale)}, zero point ${input.zeroPoint}`;
  ofWeight.textContent = `w: scale ${compact(weight.scale)}, zero point 0`;
  codes.show(input.codes, row);
  weights.show(
    weight.codes.map((list, j) => [...list, weight.sums[j]].map(signedNumber)),
    output,
  );
}

/** The result in a sentence, for whoever listens or cannot see the tables. */
function sentence({ input, outputs, exact }, [row, output], engine) {
  const { product, offset, total, y } = outputs[row][output];
  const codes = input.reduced ? "0 … 127" : "0 … 255";
  const error = y - exact[row][output];
  return (
    `${engine}, codes ${codes}, zero point ${input.zeroPoint}. Row ${row + 1}, output ` +
    `${output + 1}: products ${signedNumber(product)}, minus offset ${signedNumber(offset)}, make ` +
    `${signedNumber(total)}. The output is ${decimal(y)}; without rounding it would be ` +
    `${decimal(exact[row][output])}, so the error is ${compact(error)}.`
  );
}

export default { render };
