// The quantizer: move scale, zero point, bits and scheme, and see what becomes of a tensor.

import { chooseQParams, dequantize, errors, extremes, quantize } from "./quantmath.js";
import { compact, decibels, histogram, onResize, select, slider, svg } from "./drawing.js";
import { button, controlBar, facts, float32Values, onChange, panel, resultLine } from "./panel.js";
import { drawQuantizer } from "./quantizer_picture.js";

const STEPS_PER_OCTAVE = 24; // of the scale slider: one key press is about 3 %
const BINS = 80;

function render({ model, el }) {
  const values = float32Values(model.get("values"));
  const [low, high] = extremes(values);
  const domain = padded(Math.min(low, 0), Math.max(high, 0));
  const bars = histogram(values, domain, BINS);
  const { root, controls, fit, picture, result } = build(el);

  const settings = () => ({
    bits: model.get("bits"),
    signed: model.get("signed"),
    symmetric: model.get("symmetric"),
  });
  /** What torch's observer would choose for these bits, this scheme and this signedness. */
  const fitted = () => chooseQParams(low, high, settings());
  const ratio = () => 2 ** (Number(controls.scale.input.value) / STEPS_PER_OCTAVE);

  let state; // what is shown
  let ours = false; // are the changes that the model reports our own?

  function put(traits) {
    ours = true;
    for (const [name, value] of Object.entries(traits)) model.set(name, value);
    ours = false;
  }

  /** Quantize with these qparams, and show the result. */
  function show(scale, zeroPoint) {
    const { quantMin, quantMax } = fitted();
    const qparams = { scale: Math.fround(scale), zeroPoint, quantMin, quantMax };
    const { codes, clipped } = quantize(values, qparams);
    const lost = errors(values, dequantize(codes, qparams));
    state = { ...qparams, ...lost, codes, clippedShare: clipped / values.length };
    showControls();
    drawQuantizer(picture, { bars, domain, ...state });
    result.replaceChildren(...facts(found(state)));
  }

  /** Show what the reader chose, and put it into the model with the errors that follow. */
  function choose(scale, zeroPoint) {
    show(scale, zeroPoint);
    put({
      scale: state.scale,
      zero_point: zeroPoint,
      mse: state.mse,
      max_error: state.maxError,
      sqnr: Number.isFinite(state.sqnr) ? state.sqnr : null,
      clipped_share: state.clippedShare,
    });
    model.save_changes();
  }

  function refit() {
    const { scale, zeroPoint } = fitted();
    choose(scale, zeroPoint);
  }

  function showControls() {
    const { bits, signed, symmetric } = settings();
    controls.symmetric.input.value = String(symmetric);
    controls.signed.input.value = String(signed);
    controls.bits.show(bits, String(bits));
    const octaves = Math.log2(state.scale / fitted().scale);
    controls.scale.show(Math.round(STEPS_PER_OCTAVE * octaves), compact(state.scale));
    Object.assign(controls.zeroPoint.input, { min: state.quantMin, max: state.quantMax });
    controls.zeroPoint.input.disabled = symmetric;
    controls.zeroPoint.show(state.zeroPoint, String(state.zeroPoint));
  }

  const setting = (name, parse) => () => {
    put({ [name]: parse(controls[name].input.value) });
    refit();
  };
  controls.symmetric.input.addEventListener("change", setting("symmetric", (v) => v === "true"));
  controls.signed.input.addEventListener("change", setting("signed", (v) => v === "true"));
  controls.bits.input.addEventListener("input", setting("bits", Number));
  controls.scale.input.addEventListener("input", () =>
    choose(fitted().scale * ratio(), state.zeroPoint),
  );
  controls.zeroPoint.input.addEventListener("input", () =>
    choose(state.scale, Number(controls.zeroPoint.input.value)),
  );
  fit.addEventListener("click", refit);

  // What another view or Python has set is shown as it is; Python fits and measures by itself.
  const showModel = () => ours || show(model.get("scale"), model.get("zero_point"));
  showModel();
  const removers = [
    onChange(model, ["bits", "signed", "symmetric", "scale", "zero_point"], showModel),
    onResize(picture, () => drawQuantizer(picture, { bars, domain, ...state })),
  ];
  return () => {
    removers.forEach((remove) => remove());
    root.remove();
  };
}

/** Make the controls, the picture and the line of results. */
function build(el) {
  const root = panel(el, "qb-quantizer", "The quantizer");
  const controls = {
    symmetric: select("Scheme", [["true", "symmetric"], ["false", "affine"]]),
    signed: select("Codes", [["true", "signed"], ["false", "unsigned"]]),
    bits: slider("Bits", 2, 8),
    scale: slider("Scale", -4 * STEPS_PER_OCTAVE, 4 * STEPS_PER_OCTAVE),
    zeroPoint: slider("Zero point", 0, 255),
  };
  const fit = button("Fit to the data");
  const picture = svg("svg", { role: "img" });
  const result = resultLine();
  root.append(controlBar(controls, fit), picture, result);
  return { root, controls, fit, picture, result };
}

/** The result in print. */
function found({ scale, zeroPoint, quantMin, quantMax, sqnr, mse, maxError, clippedShare }) {
  const covered = [quantMin, quantMax].map((code) => compact(scale * (code - zeroPoint)));
  return Object.entries({
    Codes: `${compact(quantMin)} … ${quantMax}`,
    "stand for": `${covered[0]} … ${covered[1]}`,
    SQNR: decibels(sqnr, 2),
    MSE: compact(mse),
    "Max error": compact(maxError),
    Clipped: `${(100 * clippedShare).toFixed(2)} %`,
  });
}

function padded(low, high) {
  const margin = 0.06 * (high - low) || 1;
  return [low - margin, high + margin];
}

export default { render };
