// Run by Node: answers each line { module, calls } with one, { answers } or { error }.
// Infinity and NaN have no JSON; they come back as the words. Bytes arrive as a DataView.

import { createInterface } from "node:readline";

const word = (_, value) =>
  typeof value === "number" && !Number.isFinite(value) ? String(value) : value;
const bytes = (_, value) =>
  value?.base64 ? new DataView(Uint8Array.from(Buffer.from(value.base64, "base64")).buffer) : value;

async function answer(line) {
  try {
    const { module, calls } = JSON.parse(line, bytes);
    const functions = await import(module);
    const answers = [];
    for (const [name, ...given] of calls) answers.push(await functions[name](...given));
    return JSON.stringify({ answers }, word);
  } catch (error) {
    return JSON.stringify({ error: String(error?.stack ?? error) });
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  console.log(await answer(line));
}
