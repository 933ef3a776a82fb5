// Compare a token_math.js with matrices that qlearn quantized: node compare_tokens.mjs MODULE FILE.
// Prints one JSON object: how many numbers were compared, and how many differ, by part.

import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [module, file] = process.argv.slice(2);
const math = await import(pathToFileURL(resolve(module)));

let compared = 0;
const differing = {};
function count(part, found, expected, equal = (a, b) => a === b) {
  compared += expected.length;
  differing[part] ??= 0;
  differing[part] += expected.filter((number, i) => !equal(found[i], number)).length;
  differing[part] += Number(found.length !== expected.length);
}
// JSON has no infinity: qlearn's is null.
const close = (a, b) => (b === null ? a === Infinity : Math.abs(a - b) <= 1e-9 * Math.abs(b) + 1e-12);

for (const { x, width, token, octaves, now, old, mappings } of JSON.parse(readFileSync(file))) {
  const values = math.enlarged(new Float32Array(x), width, token, octaves);
  count("enlarged", [...values], now);
  const check = (name, found, { scales, zeroPoints, rows, whole }) => {
    count(`${name}: scales`, found.scales, scales);
    count(`${name}: zero points`, found.zeroPoints, zeroPoints);
    count(`${name}: SQNR`, [...found.rows, found.whole], [...rows, whole], close);
  };
  for (const [reduced, expected] of Object.entries(old))
    check("old", math.perTensor(values, width, reduced === "true"), expected);
  for (const [mapping, expected] of Object.entries(mappings))
    check(mapping, math.perToken(values, width, mapping), expected);
}
console.log(JSON.stringify({ compared, differing }));
