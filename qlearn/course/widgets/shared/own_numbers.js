// Numbers that a reader pastes: a list, a column of a table, or what torch prints of a tensor.
// They are the trait `own` of a figure; the local `typed` is the text, null before there is one.

import * as field from "./fields.js";
import { html } from "./html.js";
import { once } from "./values.js";

const [MOST, LARGEST] = [10_000, Math.fround(1e30)]; // as values.py has them, in float32
const WANTED = "write decimals with a point, and a space or a comma between two numbers";
const AROUND = /tensor|array|dtype=[\w.]+|device='[^']*'|requires_grad=True|grad_fn=<\w+>/g;

/** The numbers in a text, none for an empty one; or a sentence that says what is none of them. */
function numbersIn(text) {
  const plain = text.replaceAll("−", "-").replaceAll(AROUND, " ");
  const parts = plain.split(/[\s,;()[\]]+/).filter(Boolean);
  const unclear = /;/.test(plain) && !/\.|\D,|,\D/.test(plain) && plain.match(/-?\d+,\d+/)?.[0];
  const wrong = unclear || parts.find((part) => !(Math.abs(Number(part)) <= LARGEST));
  if (Math.abs(Number(wrong)) > LARGEST)
    return { sentence: `“${wrong}” is no number up to 1e30 in size: leave it out.` };
  if (wrong !== undefined) return { sentence: `“${wrong}” is no number: ${WANTED}.` };
  if (parts.length > MOST) return { sentence: `${parts.length} are too many: paste ${MOST}.` };
  return { numbers: parts.map((part) => Math.fround(Number(part))) };
}

/** The `local` of a figure that has the field, also of what is wrong with one for a number. */
export const TYPED = { typed: null, wrong: null };

/** The same numbers are the same object, of which much is computed once. */
export const ownValues = once((own) => Float32Array.from(own));

/**
 * A field for numbers of the reader's own. In it stands what was typed, or the numbers that are
 * shown, if others have come since, by a link or from Python.
 */
export function ownNumbers({ own, typed }) {
  const { sentence, numbers } = numbersIn(typed ?? "");
  const stands = typed !== null && (sentence || `${numbers}` === `${own}`);
  const value = stands ? typed : own.join(", ");
  const named = { name: "typed", label: "Your own numbers", invalid: Boolean(sentence), size: 30 };
  return [
    field.text({ ...named, value }),
    sentence && html`<p class="qb-hint" role="alert">${sentence}</p>`,
  ];
}

/** What the field changes, and `anew` with it, where the text holds numbers. */
export function typedNumbers(text, anew) {
  const { numbers } = numbersIn(text);
  return numbers ? { typed: text, own: numbers, ...anew } : { typed: text };
}
