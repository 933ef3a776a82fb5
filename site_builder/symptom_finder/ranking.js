// Which entries look most like a message, or like what somebody says in a few words.
//
// A query and an entry share words, and pairs of words that follow each other. Each counts by how
// few entries have it, and more where it stands in a heading than in the text.

import { ALSO_SAID, NOTHING_SAID, SAME } from "./words.js";

const MOST_SHOWN = 5;
const HEADING_WEIGHT = 4;
const CODE_WEIGHT = 2; // most of the code in an entry is quoted from messages
const STOPS_TOO = 0.5; // what an entry about a message counts where no message was pasted
const LEAST_OF_BEST = 0.35; // an entry with a smaller share of the best one's points is left out
const QUOTED = 2; // pairs of a message's words in a heading or in code: then it is quoted
const COVERED = 0.35; // of what plain words say, by the best entry: less is a guess

// Of a traceback, the frames: a place, and the lines of code below it, which stand further in.
const FRAME = /^( *)File ".*", line \d+.*\n(?:\1 +.*\n)*/gm;
const PLACE = /^\S+:\d+: (?=\w*Warning)/gm;
const RAISED = /\b[\w.]*(?:Error|Exception)\b: .*/g;
// Code, or a name of Python's. An apostrophe within a word is none: "it's slower".
const OF_A_MESSAGE = /(?:Error|Warning|Exception)\b|::|\w\(|(?<!\w)['"`]|__/;
const ENDINGS = /(?:ations?|ing|ed|er)$/;

/** A word without its endings, so that "quantizes" is "quantized". */
function root(word) {
  if (word.length <= 4) return word;
  const one = word.replace(/(?<!s)e?s$/, "");
  return one.replace(ENDINGS, "").replace(/(.)\1$|[ei]$/, "$1");
}

const MEANING = new Map(
  SAME.flatMap((line) => {
    const [first, ...rest] = line.split(" ").map(root);
    return rest.map((word) => [word, first]);
  }),
);

/** The words of a text that say something, by what they mean. */
function wordsOf(text) {
  const plain = text.toLowerCase().replace(/['’]/g, "");
  const saying = (plain.match(/[a-z0-9]{2,}/g) ?? []).filter((word) => !NOTHING_SAID.has(word));
  return saying.map(root).map((word) => MEANING.get(word) ?? word);
}

/** The words of a text, and the pairs of those that follow each other. */
function featuresOf(text) {
  const words = wordsOf(text);
  return [...words, ...words.slice(1).map((word, place) => `${words[place]} ${word}`)];
}

/** What each word and pair of an entry counts, by the best place where it stands. */
function weightsOf(places) {
  const weights = new Map();
  for (const [weight, texts] of places)
    for (const feature of texts.flatMap(featuresOf)) weights.set(feature, weight);
  return weights;
}

/** An entry with what its words count, and the pairs that stand in its headings and its code. */
function indexed(entry) {
  const { name, headings, codes, text } = entry;
  const also = ALSO_SAID[name] ?? "";
  return {
    entry,
    quotes: new Set([...headings, ...codes].flatMap(featuresOf).filter(isPair)),
    weights: weightsOf([
      [1, [text]],
      [CODE_WEIGHT, codes],
      [HEADING_WEIGHT, [...headings, also]],
    ]),
  };
}

const isPair = (feature) => feature.includes(" ");

/**
 * What is asked again and again, computed once. An entry is
 * {name, headings, codes, text, runs}; the last says that it is about a model that runs.
 */
export function indexOf(entries) {
  const all = entries.map(indexed);
  const having = new Map();
  for (const { weights } of all)
    for (const feature of weights.keys()) having.set(feature, (having.get(feature) ?? 0) + 1);
  const rarity = new Map(
    Array.from(having, ([feature, count]) => [feature, Math.log((entries.length + 1) / count)]),
  );
  return { all, rarity };
}

/** Of a traceback the line that it ends with, of anything else all. */
export const messageIn = (query) => (query.match(RAISED) ?? [query]).at(-1);

/** What a query asks for, without the frames of a traceback, which name nobody else's files. */
function asked(query) {
  const features = new Set(featuresOf(query.replace(FRAME, "").replace(PLACE, "")));
  return { features: [...features], isMessage: OF_A_MESSAGE.test(query) };
}

/** All entries that share a word with the query, the best first, with their points. */
function ranked({ all, rarity }, { features, isMessage }) {
  const known = features.filter((feature) => rarity.has(feature));
  const points = ({ entry, weights }) =>
    known.reduce((sum, feature) => sum + rarity.get(feature) * (weights.get(feature) ?? 0), 0) *
    (isMessage || entry.runs ? 1 : STOPS_TOO);
  return all
    .map((each) => ({ ...each, points: points(each) }))
    .filter((found) => found.points > 0)
    .sort((one, other) => other.points - one.points);
}

/** Whether an entry quotes a message, or has most of what plain words say. */
function isSure({ quotes, weights }, { features, isMessage }, rarity) {
  if (isMessage) return features.filter((feature) => quotes.has(feature)).length >= QUOTED;
  const rarest = Math.max(...rarity.values());
  const says = (words) => words.reduce((sum, word) => sum + (rarity.get(word) ?? rarest), 0);
  const words = features.filter((feature) => !isPair(feature));
  return says(words.filter((word) => weights.has(word))) >= COVERED * says(words);
}

/** The few entries that look most like the query, and whether the first can be relied on. */
export function closest(index, query) {
  const what = asked(query);
  const [best, ...rest] = ranked(index, what).slice(0, MOST_SHOWN);
  if (!best) return { entries: [], sure: false, isMessage: what.isMessage };
  const near = rest.filter(({ points }) => points >= LEAST_OF_BEST * best.points);
  return {
    entries: [best, ...near].map(({ entry }) => entry),
    sure: isSure(best, what, index.rarity),
    isMessage: what.isMessage,
  };
}
