// Saturation: move two activations and two weights, and see what sixteen bits leave of their sum.

import { LARGEST, WEIGHTS, addPair, reducedCode, saturatingShare } from "./saturation_math.js";
import { element, onResize, select, slider, svg } from "./drawing.js";
import { button, controlBar, facts, onChange, panel, resultLine } from "./panel.js";
import { drawSum, drawWeights, signed, weightsAt } from "./saturation_picture.js";

const PAIRS = ["activations", "weights"];

function render({ model, el }) {
  const { root, controls, largest, pictures, sum, plane, result } = build(el);
  let state; // what is shown

  function show() {
    const [activations, weights] = PAIRS.map((name) => model.get(name));
    const reduced = model.get("reduce_range");
    const codes = reduced ? activations.map(reducedCode) : activations;
    state = { codes, weights, ...addPair(codes, weights), share: saturatingShare(codes) };
    controls.reduced.input.value = String(reduced);
    activations.forEach((code, i) =>
      controls.activations[i].show(code, reduced ? `${code}, now ${codes[i]}` : `${code}`),
    );
    weights.forEach((code, i) => controls.weights[i].show(code, signed(code)));
    draw();
    result.replaceChildren(...facts(found(state)));
  }

  function draw() {
    drawSum(sum, state);
    drawWeights(plane, state);
  }

  function choose(traits) {
    for (const [name, value] of Object.entries(traits)) model.set(name, value);
    model.save_changes();
  }

  for (const name of PAIRS) {
    controls[name].forEach(({ input }, i) =>
      input.addEventListener("input", () =>
        choose({ [name]: model.get(name).map((code, j) => (j === i ? Number(input.value) : code)) }),
      ),
    );
  }
  controls.reduced.input.addEventListener("change", () =>
    choose({ reduce_range: controls.reduced.input.value === "true" }),
  );
  largest.addEventListener("click", () =>
    choose({ activations: [LARGEST.full, LARGEST.full], weights: [WEIGHTS[1], WEIGHTS[1]] }),
  );
  plane.addEventListener("click", (event) => choose({ weights: weightsAt(plane, event) }));

  // The model tells of every change, whether it comes from here, from Python or another view.
  show();
  const removers = [onChange(model, [...PAIRS, "reduce_range"], show), onResize(pictures, draw)];
  return () => {
    removers.forEach((remove) => remove());
    root.remove();
  };
}

/** Make the controls, the two pictures and the line of results. */
function build(el) {
  const root = panel(el, "qb-saturation", "Saturation");
  const codes = [["false", `0 … ${LARGEST.full}`], ["true", `0 … ${LARGEST.reduced} (reduced)`]];
  const controls = {
    activations: [1, 2].map((i) => slider(`Activation ${i}`, 0, LARGEST.full)),
    weights: [1, 2].map((i) => slider(`Weight ${i}`, ...WEIGHTS)),
    reduced: select("Codes of activations", codes),
  };
  const largest = button("Largest codes");
  const pictures = element("div", { className: "qb-pictures" });
  const [sum, plane] = [0, 1].map(() => svg("svg", { role: "img" }));
  pictures.append(sum, plane);
  const result = resultLine();
  root.append(controlBar(controls, largest), pictures, result);
  return { root, controls, largest, pictures, sum, plane, result };
}

/** The result in print. */
function found({ products, exact, pair, share }) {
  const lost = Math.abs(exact - pair);
  const percent = (part) => `${(100 * part).toFixed(1)} %`;
  return Object.entries({
    Products: products.map(signed).join(" and "),
    Sum: signed(exact),
    "In 16 bits": signed(pair),
    Lost: lost ? `${lost}, ${percent(lost / Math.abs(exact))}` : "nothing",
    "Weight pairs that saturate": percent(share),
  });
}

export default { render };
