// Small helpers that every widget shares: labelled native inputs, ticks, and numbers in print.

export function element(tag, properties = {}) {
  return Object.assign(document.createElement(tag), properties);
}

export function svg(tag, attributes = {}) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  return node;
}

/** A labelled range input; show(value, text) moves it and says its value. */
export function slider(name, min, max) {
  const label = element("label", { className: "qb-control" });
  const shown = element("b");
  const input = element("input", { type: "range", min, max, step: 1 });
  input.setAttribute("aria-label", name);
  keepKeys(input);
  const caption = element("span", { textContent: `${name} ` });
  caption.append(shown);
  label.append(caption, input);
  const show = (value, text) => {
    input.value = value;
    shown.textContent = text;
    input.setAttribute("aria-valuetext", text);
  };
  return { label, input, show };
}

/** A labelled select over [value, text] pairs. */
export function select(name, choices) {
  const label = element("label", { className: "qb-control" });
  const input = element("select");
  input.append(...choices.map(([value, textContent]) => element("option", { value, textContent })));
  keepKeys(input);
  label.append(element("span", { textContent: name }), input);
  return { label, input };
}

/** JupyterLab takes the arrow keys for its cells, unless they stop here. */
export function keepKeys(input) {
  input.addEventListener("keydown", (event) => event.stopPropagation());
}

/** Count values into equal bins over the domain. */
export function histogram(values, [low, high], bins) {
  const counts = new Array(bins).fill(0);
  for (const value of values) {
    const bin = Math.floor(((value - low) / (high - low)) * bins);
    if (bin >= 0 && bin < bins) counts[bin]++;
  }
  const edges = Array.from({ length: bins + 1 }, (_, i) => low + ((high - low) * i) / bins);
  return { counts, edges };
}

/** Round numbers inside the domain, at most about `wanted` of them. */
export function niceTicks([low, high], wanted) {
  const rough = (high - low) / wanted;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= rough);
  const ticks = [];
  for (let i = Math.ceil(low / step); i * step <= high; i++) ticks.push(i * step);
  return ticks;
}

/** A number in at most four significant digits, with a real minus sign. */
export function compact(value) {
  if (value === 0) return "0";
  const size = Math.abs(value);
  const text =
    size < 1e-3 || size >= 1e5 ? value.toExponential(2) : String(Number(value.toPrecision(4)));
  return text.replaceAll("-", "−");
}

/** The width that a picture has on the page, in pixels. */
export const widthOf = (picture) => Math.max(picture.clientWidth || 340, 240);

/** Give a picture its size in pixels and the text that stands for it. */
export function present(picture, width, height, text) {
  picture.setAttribute("viewBox", `0 0 ${width} ${height}`);
  picture.setAttribute("height", height);
  picture.setAttribute("aria-label", text);
}

/** A signal-to-noise ratio in print. */
export function decibels(ratio, digits) {
  return ratio === Infinity ? "no error" : `${ratio.toFixed(digits).replace("-", "−")} dB`;
}

/** Call back when the element's width changes; returns a function that stops it. */
export function onResize(node, callback) {
  let width = node.clientWidth;
  const observer = new ResizeObserver(() => {
    if (node.clientWidth === width) return;
    width = node.clientWidth;
    callback();
  });
  observer.observe(node);
  return () => observer.disconnect();
}
