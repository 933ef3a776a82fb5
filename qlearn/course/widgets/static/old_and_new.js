// Old and new: make one token larger, and see what one scale for all, and one for each, make of it.

import { enlarged, perTensor, perToken } from "./token_math.js";
import { compact, decibels, element, onResize, select, slider, svg } from "./drawing.js";
import { controlBar, facts, float32Values, onChange, panel, resultLine } from "./panel.js";
import { drawTokens } from "./old_and_new_picture.js";

const MOST_OCTAVES = 8;
const TRAITS = ["token", "octaves", "mapping", "reduce_range"];

function render({ model, el }) {
  const values = float32Values(model.get("values"));
  const width = values.length / model.get("rows");
  const { root, controls, picture, result } = build(el, model.get("rows"));
  let shown; // what the picture was drawn from

  function show() {
    const [token, octaves, mapping, reduced] = TRAITS.map((name) => model.get(name));
    controls.token.input.value = token;
    controls.octaves.show(octaves, `×${2 ** octaves}`);
    controls.mapping.input.value = mapping;
    controls.reduced.input.value = String(reduced);
    const now = enlarged(values, width, token, octaves);
    const [old, fresh] = [perTensor(now, width, reduced), perToken(now, width, mapping)];
    shown = { rules: [["qb-bars", old.rows], ["qb-band", fresh.rows]], token, octaves };
    drawTokens(picture, shown);
    result.replaceChildren(...facts([...told("Old", old), ...told("New", fresh)]));
  }

  const listen = (control, event, name, parse) =>
    control.input.addEventListener(event, () => {
      model.set(name, parse(control.input.value));
      model.save_changes();
    });
  listen(controls.token, "change", "token", Number);
  listen(controls.octaves, "input", "octaves", Number);
  listen(controls.mapping, "change", "mapping", String);
  listen(controls.reduced, "change", "reduce_range", (value) => value === "true");

  // The model tells of every change, whether it comes from here, from Python or another view.
  show();
  const removers = [
    onChange(model, TRAITS, show),
    onResize(picture, () => drawTokens(picture, shown)),
  ];
  return () => {
    removers.forEach((remove) => remove());
    root.remove();
  };
}

/** Make the controls, the picture with its key, and the line of results. */
function build(el, rows) {
  const root = panel(el, "qb-old-and-new", "Old and new");
  const tokens = Array.from({ length: rows }, (_, row) => [row, `token ${row + 1}`]);
  const mappings = ["symmetric", "asymmetric"].map((name) => [name, name]);
  const controls = {
    token: select("Enlarged token", tokens),
    octaves: slider("Its size", 0, MOST_OCTAVES),
    reduced: select("Old codes", [["true", "0 … 127"], ["false", "0 … 255"]]),
    mapping: select("New codes", mappings),
  };
  const key = element("div", { className: "qb-oan-key" });
  key.append(
    element("span", { className: "qb-oan-old", textContent: "old: one scale for the matrix" }),
    element("span", { className: "qb-oan-new", textContent: "new: one scale for each token" }),
  );
  const picture = svg("svg", { role: "img" });
  const result = resultLine();
  root.append(controlBar(controls), key, picture, result);
  return { root, controls, picture, result };
}

/** What one rule chose and how well its weakest token came out. */
function told(name, { scales, zeroPoints, whole, rows }) {
  const weakest = rows.indexOf(Math.min(...rows));
  return [
    [`${name}: scale`, smallestToLargest(scales, compact)],
    ["zero point", smallestToLargest(zeroPoints, compact)],
    ["all tokens", decibels(whole, 1)],
    [`weakest, token ${weakest + 1},`, decibels(rows[weakest], 1)],
  ];
}

/** The smallest and the largest number in print, or the one that all are. */
function smallestToLargest(numbers, print) {
  const [low, high] = [Math.min(...numbers), Math.max(...numbers)].map(print);
  return low === high ? low : `${low} … ${high}`;
}

export default { render };
