// Compare a rule_math.js with cases that qlearn made: node compare_rules.mjs MODULE CASES.
// Prints one JSON object: how many modules were compared, and in which cases one differs.

import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [module, cases] = process.argv.slice(2);
const { winningRules } = await import(pathToFileURL(resolve(module)));

const report = { modules: 0, differing: [] };
JSON.parse(readFileSync(cases)).forEach(({ modules, rules, reader, expected }, number) => {
  const found = winningRules(modules, rules, reader);
  report.modules += found.length;
  if (JSON.stringify(found) !== JSON.stringify(Object.entries(expected))) report.differing.push(number);
});
console.log(JSON.stringify(report));
