// What an answer means and what it comes to. Each answer is a text: what was typed, or the places
// of the chosen options, counted from 1, or the number under the mark.

const NUMBER = /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?(\/\d+)?$/i;
const GROUPED = /(?<![\d.,])[1-9]\d{0,2}([,\s_'’]\d{3})+(?!\d)/g; // as in 2,678
const BY_COMMAS = /(?<![\d.,])[1-9]\d{0,2}(,\d{3})+(?!\d)/g; // where a space parts numbers

export const places = (text) => (text.match(/\d+/g) ?? []).map(Number);

// The words for units; behind a number one may have a tail, as in 4.25 bits per weight
const WORD =
  /[%×]|(?:percent|dB|decibels?|[kMG]?B|(?:kilo|mega|giga)?bytes?|ms|milliseconds?|s|b|bits?|steps?|times|weights?|tokens?|rows?|scales?|x)(?!\w)/
    .source;
const TAIL = /\s*\/\s*\p{L}+|\s+(?:per|an?|for each)\s+\p{L}+/u.source;
const UNIT = new RegExp(`(?<=\\d)\\s*(${WORD})(?:${TAIL})?`, "giu");
const ASKED = new RegExp(`\\b(?:how many|write it in) (${WORD})`, "gi");
const TIMES = /^(×|x|times)$/i; // which change no number
const NAMES = [
  /^(%|percent)$/i,
  /^(dB|decibels?)$/i,
  /^(b|[Bb]its?)$/,
  /^(B|[Bb]ytes?)$/,
  /^(kB|kilobytes?)$/i,
  /^(MB|megabytes?)$/i,
  /^(GB|gigabytes?)$/i,
  /^(ms|milliseconds?)$/i,
];
const POWERS = "Write powers and mixed fractions as one number, as 16, 9/4 or 2.5e-3.";
const OTHER_UNIT = "Write it in the unit of the question.";
// Unicode's plain form of 2⁴ is 24, and of 4½ it is 41/2.
const POWER = /[\d)]\s*[⁺⁻⁰¹²³⁴-⁹^]|\d\s*[¼-¾⅐-⅞]|\*\*|[·×*]\s*10/;

/** A unit that changes the number, the same for kB and kilobytes; of the others each word is one. */
const nameOf = (word) => NAMES.find((name) => name.test(word));
const unitOf = (word) => nameOf(word) ?? word.toLowerCase().replace(/s$/, "");

/**
 * Whether a unit is typed that the question does not ask for, as in "how many bits". Where it asks
 * for none in such words: one that changes the number, and is none of those that it names.
 */
function hasOtherUnit(text, ask) {
  const typed = [...text.matchAll(UNIT)].map(([, word]) => word);
  const asked = [...ask.matchAll(ASKED)].map(([, word]) => unitOf(word));
  if (asked.length > 0)
    return typed.some((word) => !TIMES.test(word) && !asked.includes(unitOf(word)));
  const named = (ask.match(/%|\p{L}{2,}/gu) ?? []).map(nameOf).filter(Boolean);
  const told = typed.map(nameOf).filter(Boolean);
  return named.length > 0 && told.some((name) => !named.includes(name));
}

/** What was typed, without the point that ends a sentence. */
export const withoutEnd = (text) => text.trim().replace(/\.$/, "");

/**
 * The text in plain ASCII, without units: signs as they are pasted, brackets, a space after a sign,
 * 4 / 15.
 */
const plain = (text) =>
  withoutEnd(text)
    .normalize("NFKC")
    .replace(/[‐-―−]/g, "-")
    .replace(UNIT, " ")
    .replace(/[[\](){};=≈~]|\babout\b/gi, " ")
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
 * Whether a number is off by no more than so much from one of the author's. In binary 0.75 − 0.7 is a
 * little more than 0.05, so the last bits of the numbers and of their distance do not count;
 * `answer.py` has this too.
 */
const close = (wanted, given, margin) =>
  Math.abs(wanted - given) <= margin * (1 + 1e-9) + 4 * Number.EPSILON * Math.abs(wanted);

const near = (margins, those) => (answer) =>
  those.every((each, i) => each === null || close(each, answer[i], margins[i]));

/** The same for a known wrong answer: a 0 is no rounding of another number. */
const meant = (margins, those) => (answer) =>
  near(margins, those)(answer) && those.every((each, i) => answer[i] !== 0 || !each);

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
  const { kind, right, within, because, known, otherwise } = asked;
  if (POWER.test(text)) return { unfit: POWERS };
  const words = readings(text, right.length);
  const numbers = words.map((reading) => reading.map(value));
  const whole = numbers.filter((reading) => reading.every(Number.isInteger));
  if (kind === "codes" && numbers.length > whole.length && whole.length === 0)
    return { unfit: "A code is a whole number." };
  const answers = kind === "codes" ? whole : numbers;
  if (answers.length === 0) return { unfit: asked.wanted };
  const mistake = known.find(([those]) => answers.some(meant(within, those)))?.[1];
  if (!mistake && hasOtherUnit(text, asked.ask)) return { unfit: OTHER_UNIT };
  if (answers.some(near(within, right))) return { right: true, sentence: because };
  const sentence = mistake ?? slip(asked, words, answers) ?? otherwise;
  return { right: false, sentence, key: `${answers[0]}` };
}

/** The sentence for an answer that is nearly right: too few digits, another order or sign. */
function slip({ kind, right, within }, words, answers) {
  const short = (reading) =>
    reading.every((word, i) => close(right[i], value(word), within[i]) || rounded(word, right[i]));
  if (kind !== "place" && words.some(short))
    return "That is right as far as it goes. Give more digits.";
  if (right.length === 2 && answers.some(near(within.toReversed(), right.toReversed())))
    return "These are the numbers. The question asks for them in the other order.";
  const turned = (answer) => close(-right[0], answer[0], within[0]);
  if (right.length === 1 && answers.some(turned)) return "The size is right. Look at the sign.";
}

/**
 * Whether the text is right, and the sentence for it. There is no sentence if it is no answer:
 * then `unfit` may say why. Wrong texts that mean the same, as 57 and 57.0, have the same `key`.
 */
export const judge = (asked, text) =>
  asked.options.length > 0 ? judgeOptions(asked, text) : judgeNumbers(asked, text);
