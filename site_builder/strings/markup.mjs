// The markup of widgets without a page, for Node.

import { registerHooks } from "node:module";
import { pathToFileURL } from "node:url";
import { pictures } from "./pictures.mjs";

let renderToString;

// Of each of the { entry, state, buffers }, a widget's JavaScript file and its state as the notebook
// stores it: its markup, or if "pictures" are wanted these alone. `preact` is the file of the one
// that the widgets draw with.
export async function markup(preact, orders, wanted) {
  await drawWith(preact);
  const drawn = [];
  for (const { entry, state, buffers } of orders) {
    for (const { path, data } of buffers) {
      const owner = path.slice(0, -1).reduce((value, key) => value[key], state);
      const { buffer, byteOffset, byteLength } = Buffer.from(data, "base64");
      owner[path.at(-1)] = new DataView(buffer, byteOffset, byteLength);
    }
    const { default: figure } = await import(pathToFileURL(entry));
    const view = figure.opening(state);
    drawn.push(wanted === "pictures" ? pictures(view, renderToString) : renderToString(view));
  }
  return drawn;
}

async function drawWith(preact) {
  if (renderToString) return;
  registerHooks({
    resolve: (name, context, next) =>
      next(name === "preact" ? pathToFileURL(preact).href : name, context),
  });
  ({ renderToString } = await import("./preact-render-to-string.mjs"));
}
