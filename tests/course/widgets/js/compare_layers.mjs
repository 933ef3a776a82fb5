// Compare a dynamic_linear_math.js with layers that qlearn computed:
// node compare_layers.mjs MODULE FILE.
// Prints one JSON object: how many numbers were compared, and how many differ, by stage.

import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [module, file] = process.argv.slice(2);
const math = await import(pathToFileURL(resolve(module)));
const { layers, ranges } = JSON.parse(readFileSync(file));

let compared = 0;
const differing = {};
function count(stage, found, expected) {
  const [a, b] = [found, expected].map((numbers) => [numbers].flat(2));
  compared += b.length;
  differing[stage] ??= 0;
  differing[stage] += b.filter((number, i) => !(a[i] === number)).length + (a.length !== b.length);
}

for (const { low, high, reduceRange, scale, zeroPoint } of ranges) {
  const found = math.chooseDynamic(low, high, reduceRange);
  count("choose", [found.scale, found.zeroPoint], [scale, zeroPoint]);
}
for (const { x, weight, bias, options, expected } of layers) {
  const found = math.dynamicLinear(x, weight, bias, options);
  count("codes", found.input.codes, expected.codes);
  count("weights", found.weight.codes, expected.weights);
  count("sums", found.outputs.map((row) => row.map(({ total }) => total)), expected.totals);
  count("output", found.outputs.map((row) => row.map(({ y }) => y)), expected.output);
  const far = (value, i) => !(Math.abs(value - expected.exact.flat()[i]) <= 1e-9 * expected.size);
  count("exact", found.exact.flat().map(far).map(Number), expected.exact.flat().map(() => 0));
}
console.log(JSON.stringify({ compared, differing }));
