// Run by Node: the markup of widgets without a page, or with "pictures" as a second argument their
// pictures alone. Standard input is a list of { entry, state, buffers }: a widget's JavaScript file
// and its state, as the notebook stores it.

import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { pathToFileURL } from "node:url";
import { pictures } from "./pictures.mjs";

const [preact, wanted] = process.argv.slice(2); // the one that the widgets draw with
registerHooks({
  resolve: (name, context, next) =>
    next(name === "preact" ? pathToFileURL(preact).href : name, context),
});
const { renderToString } = await import("./preact-render-to-string.mjs");

const markup = [];
for (const { entry, state, buffers } of JSON.parse(readFileSync(0, "utf8"))) {
  for (const { path, data } of buffers) {
    const owner = path.slice(0, -1).reduce((value, key) => value[key], state);
    const { buffer, byteOffset, byteLength } = Buffer.from(data, "base64");
    owner[path.at(-1)] = new DataView(buffer, byteOffset, byteLength);
  }
  const { default: figure } = await import(pathToFileURL(entry));
  const view = figure.opening(state);
  markup.push(wanted === "pictures" ? pictures(view, renderToString) : renderToString(view));
}
console.log(JSON.stringify(markup));
