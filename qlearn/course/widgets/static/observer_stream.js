// Observers watching a stream: batches arrive one by one, an outlier among them if one likes.

import { chooseQParams, dequantize, errors, extremes, quantize, rowsOf } from "./quantmath.js";
import { makeObserver } from "./observer_math.js";
import { compact, decibels, element, onResize, select, slider, svg } from "./drawing.js";
import { button, controlBar, facts, float32Values, onChange, panel, resultLine } from "./panel.js";
import { drawStream } from "./observer_stream_picture.js";

const NAMES = { minmax: "MinMax", moving_average: "moving average", histogram: "histogram" };
const CONSTANTS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1];
const SCHEME = { signed: false, bits: 8, symmetric: false };
const TICK = 250; // milliseconds between two batches that play

function render({ model, el }) {
  const batches = rowsOf(float32Values(model.get("values")), model.get("batch_size"));
  const typical = float32Values(model.get("typical"));
  const outlier = model.get("outlier");
  const { root, controls, buttons, picture, result } = build(el, batches.length);

  let stream; // the observer, and what came of each batch so far
  let clock = null; // while batches play
  let ours = false; // are the changes that the model reports our own?

  const settings = () => ({
    observer: model.get("observer"),
    constant: model.get("averaging_constant"),
    outliers: model.get("outliers"),
  });

  /** What the observer makes of the first batches; what was found before is kept. */
  function pointsUpTo(seen) {
    const wanted = settings();
    const key = JSON.stringify(wanted);
    if (stream?.key !== key) {
      stream = { key, observer: makeObserver(wanted.observer, wanted.constant), points: [] };
    }
    for (let i = stream.points.length; i < seen; i++) {
      const isOutlier = wanted.outliers.includes(i);
      const batch = isOutlier ? withOutlier(batches[i], outlier) : batches[i];
      stream.observer.observe(batch);
      const range = stream.observer.range();
      stream.points.push({ seen: extremes(batch), isOutlier, range, ...worth(range, typical) });
    }
    return stream.points.slice(0, seen);
  }

  function show() {
    const seen = model.get("seen");
    const points = pointsUpTo(seen);
    const { observer, constant, outliers } = settings();
    controls.observer.input.value = observer;
    controls.constant.input.disabled = observer !== "moving_average";
    controls.constant.show(nearest(constant), compact(constant));
    controls.seen.show(seen, `${seen} of ${batches.length}`);
    buttons.next.disabled = buttons.outlier.disabled = seen === batches.length;
    buttons.play.disabled = seen === batches.length && clock === null;
    buttons.play.textContent = clock === null ? "Play" : "Pause";
    result.setAttribute("aria-live", clock === null ? "polite" : "off"); // not ten a second
    draw();
    result.replaceChildren(...facts(found(points.at(-1), observer, outliers.length)));
  }

  const draw = () =>
    drawStream(picture, {
      name: NAMES[settings().observer],
      count: batches.length,
      points: pointsUpTo(model.get("seen")),
    });

  /** Put what the reader chose into the model, with what follows from it, and show it. */
  function choose(traits) {
    ours = true;
    for (const [name, value] of Object.entries(traits)) model.set(name, value);
    const { range, sqnr } = pointsUpTo(model.get("seen")).at(-1);
    model.set("min_val", range[0]);
    model.set("max_val", range[1]);
    model.set("sqnr", Number.isFinite(sqnr) ? sqnr : null);
    ours = false;
    show();
    model.save_changes();
  }

  function pause() {
    clearInterval(clock);
    clock = null;
  }

  function advance() {
    const seen = model.get("seen") + 1;
    if (seen >= batches.length) pause();
    choose({ seen: Math.min(seen, batches.length) });
  }

  /** Whatever the reader does, batches stop playing first. */
  const onInput = (control, event, traits) =>
    control.addEventListener(event, () => {
      pause();
      choose(traits());
    });
  onInput(controls.observer.input, "change", () => ({ observer: controls.observer.input.value }));
  onInput(controls.constant.input, "input", () => ({
    averaging_constant: CONSTANTS[controls.constant.input.value],
  }));
  onInput(controls.seen.input, "input", () => ({ seen: Number(controls.seen.input.value) }));
  onInput(buttons.next, "click", () => ({ seen: model.get("seen") + 1 }));
  onInput(buttons.outlier, "click", () => {
    const seen = model.get("seen");
    const outliers = [...new Set([...model.get("outliers"), seen])].sort((a, b) => a - b);
    return { outliers, seen: seen + 1 };
  });
  onInput(buttons.restart, "click", () => ({ outliers: [], seen: 1 }));
  buttons.play.addEventListener("click", () => {
    if (clock !== null) {
      pause();
      show();
    } else {
      clock = setInterval(advance, TICK);
      advance();
    }
  });

  const showModel = () => ours || show(); // what another view or Python has set
  show();
  const removers = [
    onChange(model, ["observer", "averaging_constant", "outliers", "seen"], showModel),
    onResize(picture, draw),
    pause,
  ];
  return () => {
    removers.forEach((remove) => remove());
    root.remove();
  };
}

/** Make the controls, the buttons, the picture and the line of results. */
function build(el, count) {
  const root = panel(el, "qb-stream", "An observer and a stream of batches");
  const controls = {
    observer: select("Observer", Object.entries(NAMES)),
    constant: slider("Averaging constant", 0, CONSTANTS.length - 1),
    seen: slider("Batches seen", 1, count),
  };
  const labels = {
    next: "Next batch",
    outlier: "Next batch, with an outlier",
    play: "Play",
    restart: "Start over",
  };
  const buttons = Object.fromEntries(
    Object.entries(labels).map(([name, text]) => [name, button(text)]),
  );
  const row = element("div", { className: "qb-buttons" });
  row.append(...Object.values(buttons));
  const picture = svg("svg", { role: "img" });
  const result = resultLine();
  root.append(controlBar(controls), row, picture, result);
  return { root, controls, buttons, picture, result };
}

/** The result in print. */
function found({ seen, range, scale, sqnr, clippedShare }, observer, outliers) {
  const ends = (pair) => pair.map(compact).join(" … ");
  return Object.entries({
    "This batch": ends(seen),
    [`Range of ${NAMES[observer]}`]: ends(range),
    Scale: compact(scale),
    "SQNR of typical values": decibels(sqnr, 2),
    Clipped: `${(100 * clippedShare).toFixed(2)} %`,
    "Outliers thrown in": String(outliers),
  });
}

/** What a range is worth: the qparams that follow from it, and the error they make. */
function worth(range, typical) {
  const qparams = chooseQParams(...range, SCHEME);
  const { codes, clipped } = quantize(typical, qparams);
  const { sqnr } = errors(typical, dequantize(codes, qparams));
  return { scale: qparams.scale, sqnr, clippedShare: clipped / typical.length };
}

function withOutlier(batch, outlier) {
  const copy = batch.slice();
  copy[0] = outlier;
  return copy;
}

/** The place of the constant on the slider. */
function nearest(constant) {
  const away = CONSTANTS.map((c) => Math.abs(Math.log(c / constant)));
  return away.indexOf(Math.min(...away));
}

export default { render };
