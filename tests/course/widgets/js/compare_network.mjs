// Compare a network_layers_math.js with layers that qlearn computed: node compare_network.mjs MODULE FILE.
// Prints one JSON object: how many numbers were compared, and how many differ, by what they are.

import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [module, file] = process.argv.slice(2);
const math = await import(pathToFileURL(resolve(module)));
const { networks, cases } = JSON.parse(readFileSync(file));

let compared = 0;
const differing = {};
function count(what, wrong) {
  compared++;
  differing[what] ??= 0;
  if (wrong) differing[what]++;
}

const unpacked = networks.map((numbers) => math.layersFrom(Float32Array.from(numbers)));
for (const { network, pixels, ranges, activationBits, weightBits, expected } of cases) {
  const layers = unpacked[network];
  const outputs = math.realOutputs(layers, Float64Array.from(pixels));
  const stages = math.runNetwork(layers, outputs, ranges, { activationBits, weightBits });
  for (const { name, codes, qparams, exact, sqnr, ownSqnr } of stages) {
    const wanted = expected[name];
    count("lengths", codes.length !== wanted.codes.length);
    wanted.codes.forEach((code, i) => count(`${name} codes`, codes[i] !== code));
    count("scales", qparams.scale !== wanted.scale || qparams.zeroPoint !== wanted.zeroPoint);
    // Real numbers are float32 in qlearn, summed in an order of its own.
    wanted.exact.forEach((number, i) => count("exact", !(Math.abs(exact[i] - number) < 1e-4 * Math.max(1, Math.abs(number)))));
    for (const [what, found, ratio] of [["sqnr", sqnr, wanted.sqnr], ["own", ownSqnr, wanted.own]]) {
      count(what, ratio === null ? found !== Infinity : !(Math.abs(found - ratio) < 2e-3));
    }
    const best = wanted.codes.indexOf(Math.max(...wanted.codes));
    count("largest", math.largestAt(codes) !== best);
  }
}
console.log(JSON.stringify({ compared, differing }));
