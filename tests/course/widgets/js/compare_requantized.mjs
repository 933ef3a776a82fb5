// Compare a requantizer_math.js with codes that qlearn computed: node compare_requantized.mjs MODULE FILE.
// Prints one JSON object: how many codes were compared, and how many differ, by rule.

import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [module, file] = process.argv.slice(2);
const math = await import(pathToFileURL(resolve(module)));
const { cases, windows } = JSON.parse(readFileSync(file));

let compared = 0;
const differing = { multiplier: 0, firsts: 0, stretches: 0 };
for (const { settings, multiplier, whole, shift, sums, codes } of cases) {
  const prepared = math.prepare(settings);
  const same = prepared.multiplier === multiplier && Number(prepared.fixed.whole) === whole;
  if (!same || prepared.fixed.shift !== shift) differing.multiplier++;
  for (const [rule, expected] of Object.entries(codes)) {
    differing[rule] ??= 0;
    expected.forEach((code, i) => {
      compared++;
      if (math.requantizeSum(sums[i], rule, prepared).code !== code) differing[rule]++;
    });
    // A sum below the first one of a code must have a smaller code, all others that or a larger.
    const firsts = math.firstSums(rule, prepared);
    expected.forEach((code, i) => {
      const reached = firsts.filter((first, c) => c > 0 && c < 256 && sums[i] >= first).length;
      if (Math.max(reached, prepared.least) !== code) differing.firsts++;
    });
  }
}
for (const { settings, rule, count } of windows) {
  const prepared = math.prepare(settings);
  const [ours, theirs] = [rule, "fbgemm"].map((name) => math.firstSums(name, prepared));
  const stretches = math.differences(ours, theirs, prepared);
  const found = stretches.reduce((sum, [from, to]) => sum + to - from, 0);
  compared++;
  if (found !== count) differing.stretches++;
}
console.log(JSON.stringify({ compared, differing }));
