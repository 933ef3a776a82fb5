// The clipping threshold: move it, and see the rounding error and the clipping error trade.

import {
  POSITIONS,
  WHOLE,
  errorCurve,
  splitTensors,
  splitMse,
  thresholdAt,
  thresholdQParams,
} from "./clipping_math.js";
import { compact, histogram, onResize, select, slider, svg } from "./drawing.js";
import {
  button,
  controlBar,
  facts,
  float32Values,
  memoized,
  onChange,
  panel,
  resultLine,
} from "./panel.js";
import { drawClipping } from "./clipping_threshold_picture.js";

const BINS = 100;
const REACH = POSITIONS.at(-1) / WHOLE; // of the histogram, in units of the largest number

function render({ model, el }) {
  const names = model.get("names");
  const tensors = splitTensors(float32Values(model.get("values")), model.get("lengths"));
  const { root, controls, toBest, picture, result } = build(el, names);
  const curveOf = memoized((name, bits) => {
    const { values, largest } = dataOf(name);
    return errorCurve(values, largest, bits);
  });
  const dataOf = memoized((name) => {
    const values = tensors[names.indexOf(name)];
    const largest = values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
    const domain = [-REACH * largest, REACH * largest];
    return { values, largest, domain, bars: histogram(values, domain, BINS) };
  });

  let state; // what is shown
  let ours = false; // are the changes that the model reports our own?

  /** Quantize with this threshold, and show the result. */
  function show(name, bits, threshold) {
    const data = dataOf(name);
    const qparams = thresholdQParams(threshold, bits);
    const parts = splitMse(data.values, qparams);
    state = { ...data, ...qparams, ...parts, ...curveOf(name, bits), name, bits, threshold };
    controls.data.input.value = name;
    controls.bits.show(bits, String(bits));
    controls.threshold.show((WHOLE * threshold) / data.largest, compact(threshold));
    drawClipping(picture, state);
    result.replaceChildren(...facts(found(state)));
  }

  /** Show what the reader chose, and put it into the model with the errors that follow. */
  function choose(name, bits, threshold) {
    show(name, bits, threshold);
    ours = true;
    model.set("data", name);
    model.set("bits", bits);
    model.set("threshold", threshold);
    model.set("rounding_error", state.rounding);
    model.set("clipping_error", state.clipping);
    model.set("clipped_share", state.clippedShare);
    ours = false;
    model.save_changes();
  }

  controls.data.input.addEventListener("change", () => {
    const name = controls.data.input.value;
    choose(name, state.bits, dataOf(name).largest);
  });
  controls.bits.input.addEventListener("input", () =>
    choose(state.name, Number(controls.bits.input.value), state.threshold),
  );
  controls.threshold.input.addEventListener("input", () =>
    choose(state.name, state.bits, thresholdAt(controls.threshold.input.value, state.largest)),
  );
  toBest.addEventListener("click", () => choose(state.name, state.bits, state.best.threshold));

  // What another view or Python has set is shown as it is; Python measures by itself.
  const showModel = () =>
    ours || show(model.get("data"), model.get("bits"), model.get("threshold"));
  showModel();
  const removers = [
    onChange(model, ["data", "bits", "threshold"], showModel),
    onResize(picture, () => drawClipping(picture, state)),
  ];
  return () => {
    removers.forEach((remove) => remove());
    root.remove();
  };
}

/** Make the controls, the picture and the line of results. */
function build(el, names) {
  const root = panel(el, "qb-clipping", "The clipping threshold");
  const controls = {
    data: select("Data", names.map((name) => [name, name])),
    bits: slider("Bits", 2, 8),
    threshold: slider("Threshold", POSITIONS[0], POSITIONS.at(-1)),
  };
  const toBest = button("Go to the smallest sum");
  const picture = svg("svg", { role: "img" });
  const result = resultLine();
  root.append(controlBar(controls, toBest), picture, result);
  return { root, controls, toBest, picture, result };
}

/** The result in print. */
function found({ threshold, scale, rounding, clipping, sum, clippedShare, best }) {
  return Object.entries({
    Threshold: compact(threshold),
    Scale: compact(scale),
    Clipped: `${(100 * clippedShare).toFixed(2)} %`,
    "Rounding error²": compact(rounding),
    "Clipping error²": compact(clipping),
    Sum: compact(sum),
    "Smallest sum": `${compact(best.sum)} at ${compact(best.threshold)}`,
  });
}

export default { render };
