// Compare a quantmath.js with vectors that qlearn made: node compare_codes.mjs MODULE FOLDER.
// Prints one JSON object: how many values were compared, and how many differ, by case.

import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [module, folder] = process.argv.slice(2);
const math = await import(pathToFileURL(resolve(module)));
const bytes = (name) => {
  const file = readFileSync(join(folder, name));
  return file.buffer.slice(file.byteOffset, file.byteOffset + file.byteLength);
};

const report = { values: 0, differing: {} };
for (const { name, rounding, qparams, errors } of JSON.parse(readFileSync(join(folder, "cases.json")))) {
  const x = new Float32Array(bytes(`${name}.x`));
  const expected = new Int32Array(bytes(`${name}.codes`));
  const restored = new Int32Array(bytes(`${name}.restored`)); // the bits of the float32 values
  const { codes, clipped } = math.quantize(x, qparams, rounding);
  const back = math.dequantize(codes, qparams);
  const bits = new Int32Array(back.buffer);
  let differing = 0;
  for (let i = 0; i < x.length; i++) if (codes[i] !== expected[i] || bits[i] !== restored[i]) differing++;
  if (errors) {
    const found = { ...math.errors(x, back), clippedShare: clipped / x.length };
    for (const [key, value] of Object.entries(errors))
      if (!(Math.abs(found[key] - value) <= 1e-9 * Math.abs(value))) differing++; // NaN too
  }
  report.values += x.length;
  report.differing[name] = differing;
}
for (const { name, range, options, qparams } of JSON.parse(readFileSync(join(folder, "ranges.json")))) {
  const found = math.chooseQParams(range[0], range[1], options);
  const same = Object.entries(qparams).every(([key, value]) => found[key] === value);
  report.differing[name] = same ? 0 : 1;
}
const triples = new Float32Array(bytes("triples"));
report.differing.triples = 0;
for (let i = 0; i < triples.length; i += 4) {
  const found = math.fma(triples[i], triples[i + 1], triples[i + 2]);
  if (found !== triples[i + 3]) report.differing.triples++;
}
console.log(JSON.stringify(report));
