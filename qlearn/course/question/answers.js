// What an answer means and what it comes to. Each answer is a text: what was typed, or the places
// of the chosen options, counted from 1, or the number under the mark.

const NUMBER = /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?(\/\d+)?$/i;
const GROUPED = /(?<![\d.,])[1-9]\d{0,2}([,\s_'’]\d{3})+(?!\d)/g; // as in 2,678
const BY_COMMAS = /(?<![\d.,])[1-9]\d{0,2}(,\d{3})+(?!\d)/g; // where a space parts numbers

export const places = (text) => (text.match(/\d+/g) ?? []).map(Number);

// The unit, which the question names
const UNIT =
  /(?<=\d)\s*(?:%|(?:percent|dB|kB|MB|GB|megabytes?|gigabytes?|ms|s|bits?|bytes?|steps?|times|weights?|tokens?|rows?|scales?|x)(?!\w))/gi;

/** The text in plain ASCII, without units: signs as they are pasted, brackets, a space after a sign, 4 / 15. */
const plain = (text) =>
  text
    .normalize("NFKC")
    .replace(/[‐-―−]/g, "-")
    .replace(UNIT, " ")
    .replace(/[[\](){};=≈]/g, " ")
    .replace(/(?<!\S)([-+])\s+/g, "$1")
    .replace(/\s*[⁄/]\s*/g, "/");

/** Each way to read the text as so many numbers: a comma may group, mark decimals, or separate. */
function readings(text, count) {
  const typed = plain(text);
  const together = [GROUPED, BY_COMMAS].map((groups) =>
    typed.replace(groups, (digits) => digits.replace(/\D/g, "")),
  );
  return [...together, typed.replace(/,(?=\S)/g, "."), typed.replaceAll(",", " ")]
    .map((reading) => reading.split(/[\s,]+/).filter(Boolean))
    .filter((words) => words.length === count && words.every((word) => NUMBER.test(word)));
}

function value(word) {
  const [above, below = 1] = word.split("/");
  return Number(above) / Number(below);
}

/** Whether what was typed is the number, rounded to as many digits as were typed. */
function rounded(word, right) {
  const [, decimals] = word.match(/^[-+]?\d*\.(\d+)$/) ?? [];
  if (!decimals || Number(word) === 0) return false;
  return Math.abs(Number(word) - right) <= 0.5000001 * 10 ** -decimals.length;
}

const FITS = {
  one_of: (those, answer) => those.every((each) => answer.includes(each)),
  any_of: (those, answer) => those.every((each) => answer.includes(each)),
  order: ([first, second], answer) => answer.indexOf(first) < answer.indexOf(second),
};

/**
 * Whether a number is off by no more than so much from one of the author's. In binary 0.75 − 0.7 is a little more than
 * 0.05, so the last bits of the numbers and of their distance do not count; `answer.py` has this too.
 */
const close = (wanted, given, margin) =>
  Math.abs(wanted - given) <= margin * (1 + 1e-9) + 4 * Number.EPSILON * Math.abs(wanted);

const near = (asked, those) => (answer) =>
  those.every((each, i) => each === null || close(each, answer[i], asked.within[i]));

/** What comes of a text that answers by options. */
function judgeOptions(asked, text) {
  const answer = places(text);
  if (answer.length < (asked.kind === "order" ? asked.right.length : 1)) return {};
  const sorted = asked.kind === "any_of" ? answer.toSorted((a, b) => a - b) : answer;
  if (`${sorted}` === `${asked.right}`) return { right: true, sentence: asked.because };
  const known = asked.known.find(([those]) => FITS[asked.kind](those, answer));
  return { right: false, sentence: known?.[1] ?? asked.otherwise, key: `${sorted}` };
}

/** What comes of a text that answers by numbers. */
function judgeNumbers(asked, text) {
  const { kind, right, because, known, otherwise } = asked;
  const words = readings(text, right.length);
  const numbers = words.map((reading) => reading.map(value));
  const whole = numbers.filter((reading) => reading.every(Number.isInteger));
  if (kind === "codes" && numbers.length > whole.length && whole.length === 0)
    return { unfit: "A code is a whole number." };
  const answers = kind === "codes" ? whole : numbers;
  if (answers.length === 0) return { unfit: asked.wanted };
  if (answers.some(near(asked, right))) return { right: true, sentence: because };
  const sentence =
    known.find(([those]) => answers.some(near(asked, those)))?.[1] ??
    slip(asked, words, answers) ??
    otherwise;
  return { right: false, sentence, key: `${answers[0]}` };
}

/** The sentence for an answer that is nearly right: too few digits, or the other sign. */
function slip({ kind, right, within }, words, answers) {
  const short = (reading) =>
    reading.every((word, i) => close(right[i], value(word), within[i]) || rounded(word, right[i]));
  if (kind !== "place" && words.some(short))
    return "That is right as far as it goes. Give more digits.";
  const turned = (answer) => close(-right[0], answer[0], within[0]);
  if (right.length === 1 && answers.some(turned)) return "The size is right. Look at the sign.";
}

/**
 * Whether the text is right, and the sentence for it. There is no sentence if it is no answer:
 * then `unfit` may say why. Wrong texts that mean the same, as 57 and 57.0, have the same `key`.
 */
export const judge = (asked, text) =>
  asked.options.length > 0 ? judgeOptions(asked, text) : judgeNumbers(asked, text);
