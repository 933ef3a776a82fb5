// Compare an observer_math.js with streams that qlearn's observers saw:
// node compare_ranges.mjs MODULE STREAMS. Prints one JSON object: how many ranges were compared,
// and how many differ, by observer.

import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [module, streams] = process.argv.slice(2);
const { makeObserver } = await import(pathToFileURL(resolve(module)));

const report = { ranges: 0, differing: {} };
for (const { observer, averagingConstant, batches, ranges } of JSON.parse(readFileSync(streams))) {
  const watching = makeObserver(observer, averagingConstant);
  report.differing[observer] ??= 0;
  batches.forEach((batch, i) => {
    watching.observe(new Float32Array(batch));
    const [low, high] = watching.range();
    if (low !== ranges[i][0] || high !== ranges[i][1]) report.differing[observer]++;
    report.ranges++;
  });
}
console.log(JSON.stringify(report));
