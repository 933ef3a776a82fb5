// Run by Node: prints the markup of the widgets that standard input lists, drawn with the file of
// Preact that the first argument names. With "pictures" as the second, their pictures alone.

import { readFileSync } from "node:fs";
import { markup } from "./markup.mjs";

const [preact, wanted] = process.argv.slice(2);
const orders = JSON.parse(readFileSync(0, "utf8"));
console.log(JSON.stringify(await markup(preact, orders, wanted)));
