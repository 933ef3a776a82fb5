// A recorded training, played again: move through it, and see where the weights lie.

import { compact, element, onResize, slider, svg } from "./drawing.js";
import { frameFacts, readFrames } from "./replay_math.js";
import { drawFrame, drawPaths } from "./training_replay_picture.js";

const PAUSE = 220; // milliseconds between frames while playing

function render({ model, el }) {
  const frames = readFrames(model.get("positions"), model.get("weights"));
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
    const found = frameFacts(frames, frame, codes);
    control.show(frame, `${record.steps[frame]}`);
    drawFrame(picture, { frames, frame, codes, ...record, ...found });
    result.replaceChildren(...facts(record, frame, found));
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
  model.on("change:frame", show);
  draw();
  const unwatch = onResize(picture, draw);
  return () => {
    stop();
    unwatch();
    model.off("change:frame", show);
    root.remove();
  };
}

/** Make the slider, the button, the picture and the line of results. */
function build(el, last) {
  const root = element("div", { className: "qb-widget qb-replay" });
  root.setAttribute("role", "group");
  root.setAttribute("aria-label", "A training, replayed");
  const control = slider("Step of the training", 0, last);
  const play = element("button", { type: "button" });
  const bar = element("div", { className: "qb-controls" });
  bar.append(control.label, play);
  const picture = svg("svg", { role: "img" });
  const result = element("output", { className: "qb-result" });
  result.setAttribute("aria-live", "polite");
  root.append(bar, picture, result);
  el.append(root);
  return { root, control, play, picture, result };
}

/** The result in print, each fact a block of its own so that a narrow screen can wrap it. */
function facts({ steps, losses, right, images, frozen }, frame, found) {
  const percent = (share) => `${(100 * share).toFixed(1)} %`;
  const pairs = {
    Step: `${steps[frame]}${frame >= frozen ? ", grid frozen" : ""}`,
    Loss: losses[frame].toFixed(3),
    "Test images right": `${right[frame]} of ${images}`,
    "Codes changed": compact(found.changed),
    "Near a boundary": percent(found.nearBoundary),
    "Near a code": percent(found.nearCode),
  };
  return Object.entries(pairs).map(([name, value]) => {
    const block = element("span", { className: "qb-fact", textContent: `${name} ` });
    block.append(element("b", { textContent: value }), " ");
    return block;
  });
}

export default { render };
