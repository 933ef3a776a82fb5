// Numbers that a reader pastes: a list, a column of a table, or what torch prints of a tensor.

const [MOST, LARGEST] = [10_000, 1e30]; // as values.py has them
const WANTED = "write decimals with a point, and a space or a comma between two numbers";
const AROUND = /tensor|array|dtype=[\w.]+|device='[^']*'|requires_grad=True|grad_fn=<\w+>/g;

/** The numbers in a text, none for an empty one; or a sentence that says what is none of them. */
export function numbersIn(text) {
  const plain = text.replaceAll("−", "-").replaceAll(AROUND, " ");
  const parts = plain.split(/[\s,;()[\]]+/).filter(Boolean);
  const wrong = parts.find((part) => !(Math.abs(Number(part)) <= LARGEST));
  if (wrong !== undefined) return { sentence: `“${wrong}” is no number: ${WANTED}.` };
  if (parts.length > MOST) return { sentence: `${parts.length} are too many: paste ${MOST}.` };
  return { numbers: parts.map((part) => Math.fround(Number(part))) };
}
