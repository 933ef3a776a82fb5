// Compare a layer_cost_math.js with costs that qlearn counted:
// node compare_costs.mjs MODULE FILE.
// Prints one JSON object: how many numbers were compared, and how many differ, by name.

import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [module, file] = process.argv.slice(2);
const { SPECS, layerCost } = await import(pathToFileURL(resolve(module)));
const { specs, cases } = JSON.parse(readFileSync(file));

let compared = 0;
const differing = { specs: Number(JSON.stringify(Object.keys(SPECS)) !== JSON.stringify(specs)) };
const camelled = (name) => name.replace(/_(\w)/g, (_, letter) => letter.toUpperCase());
for (const { layer, call, expected } of cases) {
  const found = layerCost(layer, ...call);
  for (const [name, value] of Object.entries(expected)) {
    compared++;
    differing[name] ??= 0;
    differing[name] += Number(found[camelled(name)] !== value);
  }
}
console.log(JSON.stringify({ compared, differing }));
