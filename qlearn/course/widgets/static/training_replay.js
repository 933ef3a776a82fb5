// A recorded training, played again: move through it, and see where the weights lie.

import { compact, onResize, slider, svg } from "./drawing.js";
import { button, controlBar, facts, float32Values, onChange, panel, resultLine } from "./panel.js";
import { rowsOf } from "./quantmath.js";
import { frameFacts } from "./replay_math.js";
import { drawFrame, drawPaths } from "./training_replay_picture.js";

const PAUSE = 220; // milliseconds between frames while playing

function render({ model, el }) {
  const frames = rowsOf(float32Values(model.get("positions")), model.get("weights"));
  const fixed = ["steps", "losses", "right", "images", "frozen"];
  const record = Object.fromEntries(fixed.map((name) => [name, model.get(name)]));
  const codes = { quantMin: model.get("quant_min"), quantMax: model.get("quant_max") };
  const last = frames.length - 1;
  const { root, control, play, picture, result } = build(el, last);
  // Who asked for less motion goes on by one record a click.
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  let timer = null;

  function show() {
    const frame = model.get("frame");
    const counted = frameFacts(frames, frame, codes);
    control.show(frame, `${record.steps[frame]}`);
    drawFrame(picture, { frames, frame, codes, ...record, ...counted });
    result.replaceChildren(...facts(found(record, frame, counted)));
  }

  function draw() {
    drawPaths(picture, { frames, codes, ...record });
    show();
  }

  function choose(frame) {
    model.set("frame", frame);
    model.save_changes();
  }

  function stop() {
    clearInterval(timer);
    timer = null;
    play.textContent = still.matches ? "Next record" : "Play";
    result.setAttribute("aria-live", "polite");
  }

  function start() {
    const frame = model.get("frame");
    const next = frame === last ? 0 : frame + 1;
    if (still.matches) return choose(next);
    play.textContent = "Stop";
    result.setAttribute("aria-live", "off"); // a reader could not follow
    choose(next);
    timer = setInterval(() => {
      const now = model.get("frame");
      if (now < last) choose(now + 1);
      if (now + 1 >= last) stop();
    }, PAUSE);
  }

  play.addEventListener("click", () => (timer === null ? start() : stop()));
  control.input.addEventListener("input", () => {
    if (timer !== null) stop();
    choose(Number(control.input.value));
  });

  stop();
  draw();
  const removers = [stop, onChange(model, ["frame"], show), onResize(picture, draw)];
  return () => {
    removers.forEach((remove) => remove());
    root.remove();
  };
}

/** Make the slider, the button, the picture and the line of results. */
function build(el, last) {
  const root = panel(el, "qb-replay", "A training, replayed");
  const control = slider("Step of the training", 0, last);
  const play = button("");
  const picture = svg("svg", { role: "img" });
  const result = resultLine();
  root.append(controlBar({ control }, play), picture, result);
  return { root, control, play, picture, result };
}

/** The result in print. */
function found({ steps, losses, right, images, frozen }, frame, counted) {
  const percent = (share) => `${(100 * share).toFixed(1)} %`;
  return [
    ["Step", `${steps[frame]}${frame >= frozen ? ", grid frozen" : ""}`],
    ["Loss", losses[frame].toFixed(3)],
    ["Test images right", `${right[frame]} of ${images}`],
    ["Codes changed", compact(counted.changed)],
    ["Near a boundary", percent(counted.nearBoundary)],
    ["Near a code", percent(counted.nearCode)],
  ];
}

export default { render };
