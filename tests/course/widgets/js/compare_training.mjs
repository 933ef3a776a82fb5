// Compare straight_through_math.js or replay_math.js with vectors that qlearn made:
// node compare_training.mjs MODULE FOLDER. Prints one JSON object: how many numbers were compared,
// and how many results differ, by case.

import { readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [module, folder] = process.argv.slice(2);
const math = await import(pathToFileURL(resolve(module)));
const beside = pathToFileURL(join(dirname(resolve(module)), "quantmath.js"));
const { rowsOf } = await import(beside);
const report = { values: 0, differing: {} };
const read = (name) => JSON.parse(readFileSync(join(folder, name)));

if (math.descend) {
  for (const { name, qparams, values, target, rate, codes, restored, gradient, after } of read("weights.json")) {
    const found = values.map((x) => math.fakeQuantizeOne(x, qparams));
    const differs = (x, i) =>
      found[i].code !== codes[i] ||
      found[i].restored !== restored[i] ||
      found[i].gradient !== gradient[i] ||
      math.descend(x, target, rate, qparams) !== after[i];
    report.values += values.length;
    report.differing[name] = values.filter(differs).length;
  }
} else {
  const { buffer, byteOffset, byteLength } = readFileSync(join(folder, "positions"));
  const { weights, codes, frames } = read("frames.json");
  const values = new Float32Array(buffer.slice(byteOffset, byteOffset + byteLength));
  const positions = rowsOf(values, weights);
  frames.forEach((expected, frame) => {
    const found = math.frameFacts(positions, frame, codes);
    report.values += weights;
    report.differing[`frame ${frame}`] = Object.entries(expected).filter(
      ([name, value]) => Math.abs(found[name] - value) > 1e-12,
    ).length;
  });
}
console.log(JSON.stringify(report));
