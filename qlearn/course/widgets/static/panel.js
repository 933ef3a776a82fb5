// What every widget is made of: a named panel, a line of results, and the traits behind them.

import { element } from "./drawing.js";

/** The widget's root, with a name for screen readers; the caller appends what it holds. */
export function panel(el, className, name) {
  const root = element("div", { className: `qb-widget ${className}` });
  root.setAttribute("role", "group");
  root.setAttribute("aria-label", name);
  el.append(root);
  return root;
}

/** A row of controls, each with its label, and of buttons. */
export function controlBar(controls, ...buttons) {
  const bar = element("div", { className: "qb-controls" });
  bar.append(...Object.values(controls).flat().map((control) => control.label), ...buttons);
  return bar;
}

export const button = (textContent) => element("button", { type: "button", textContent });

/** The line of results, read out whenever it changes. */
export function resultLine() {
  const result = element("output", { className: "qb-result" });
  result.setAttribute("aria-live", "polite");
  return result;
}

/** Pairs of name and value in print, each a block so that a narrow screen can wrap between them. */
export function facts(pairs, space = " ", end = " ") {
  return pairs.map(([name, value]) => {
    const block = element("span", { className: "qb-fact", textContent: `${name}${space}` });
    block.append(element("b", { textContent: value }), end);
    return block;
  });
}

/** Call back whenever one of the traits changes; returns a function that stops it. */
export function onChange(model, names, callback) {
  for (const name of names) model.on(`change:${name}`, callback);
  return () => names.forEach((name) => model.off(`change:${name}`, callback));
}

/** Read a DataView of little-endian float32; the copy is aligned as Float32Array asks. */
export function float32Values({ buffer, byteOffset, byteLength }) {
  return new Float32Array(buffer.slice(byteOffset, byteOffset + byteLength));
}

/** Call a function once for each list of arguments. */
export function memoized(compute) {
  const known = new Map();
  return (...args) => {
    const key = JSON.stringify(args);
    if (!known.has(key)) known.set(key, compute(...args));
    return known.get(key);
  };
}
