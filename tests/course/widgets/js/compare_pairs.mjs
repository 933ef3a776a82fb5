// Compare a saturation_math.js with vectors that qlearn made: node compare_pairs.mjs MODULE FILE.
// Prints one JSON object: how many vectors were compared, and how many differ, by function.

import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [module, file] = process.argv.slice(2);
const math = await import(pathToFileURL(resolve(module)));
const vectors = JSON.parse(readFileSync(file));
const SQUARE = [[-128.5, -128.5], [127.5, -128.5], [127.5, 127.5], [-128.5, 127.5]];

/** The share of the square of weights that a widget shades for these codes. */
function shaded(codes) {
  const area = (corners) =>
    corners.reduce((sum, [x, y], i) => {
      const [nextX, nextY] = corners[(i + 1) % corners.length];
      return sum + (x * nextY - nextX * y) / 2;
    }, 0);
  const above = math.beyond(SQUARE, codes, 32767.5);
  const below = math.beyond(SQUARE, codes.map((code) => -code), 32768.5);
  return (area(above) + area(below)) / 256 ** 2;
}

const differing = {
  addPair: vectors.pairs.filter(({ codes, weights, exact, pair }) => {
    const found = math.addPair(codes, weights);
    return found.exact !== exact || found.pair !== pair;
  }).length,
  reducedCode: vectors.reduced.filter((code, full) => math.reducedCode(full) !== code).length,
  saturatingShare: vectors.shares.filter(
    ({ codes, share }) => math.saturatingShare(codes) !== share,
  ).length,
  beyond: vectors.shares.filter(
    ({ codes, share }) => !(Math.abs(shaded(codes) - share) < 0.005), // of the squares on its edge
  ).length,
};
const compared = Object.values(vectors).reduce((sum, list) => sum + list.length, 0);
console.log(JSON.stringify({ compared, differing }));
