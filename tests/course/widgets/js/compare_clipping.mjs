// Compare a clipping_math.js with vectors that qlearn made: node compare_clipping.mjs MODULE FOLDER.
// Prints one JSON object: how many values were compared, and how many results differ, by case.

import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [module, folder] = process.argv.slice(2);
const math = await import(pathToFileURL(resolve(module)));
const { lengths, cases } = JSON.parse(readFileSync(join(folder, "cases.json")));
const { buffer, byteOffset, byteLength } = readFileSync(join(folder, "values"));
const values = new Float32Array(buffer.slice(byteOffset, byteOffset + byteLength));
const tensors = math.splitTensors(values, lengths);

const close = (found, expected) => Math.abs(found - expected) <= 1e-9 * Math.abs(expected);
const report = { values: 0, differing: {} };
for (const { name, tensor, bits, threshold, qparams, parts, best } of cases) {
  const values = tensors[tensor];
  const ours = math.thresholdQParams(threshold, bits);
  const found = math.splitMse(values, ours);
  let differing = Object.entries(qparams).filter(([key, value]) => ours[key] !== value).length;
  differing += Object.entries(parts).filter(([key, value]) => !close(found[key], value)).length;
  if (best) {
    const curve = math.errorCurve(values, best.largest, bits);
    if (!close(curve.best.threshold, best.threshold) || !close(curve.best.sum, best.sum)) differing++;
  }
  report.values += values.length;
  report.differing[name] = differing;
}
console.log(JSON.stringify(report));
