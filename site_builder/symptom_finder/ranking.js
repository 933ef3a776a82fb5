// Which entries look most like a message, or like what somebody says in a few words.
//
// A query and an entry share words, and pairs of words that follow each other. Each counts by how
// few entries have it, and more where it stands in a heading than in the text.

import { ALSO_SAID, NOTHING_SAID, SAME } from "./words.js";

const MOST = 5;
const IN_HEADING = 4;
const IN_CODE = 2; // most of the code in an entry is quoted from messages
const LENGTH_COUNTS = 0.15; // 0: a long entry has all its points; 1: points for each word
const STOPS_TOO = 0.5; // what an entry about a message counts where no message was pasted
const LEAST_OF_BEST = 0.35; // below this share of the best one's points, an entry is left out
const QUOTED = 2; // so many pairs of a message's words stand in a heading or in code: it is quoted

// Of a traceback, the frames: a place, and the lines of code below it.
const FRAME = /^ *File ".*", line \d+.*\n(?: .*\n)*/gm;
const PLACE = /^\S+:\d+: (?=\w*Warning)/gm;
const OF_A_MESSAGE = /Error|Warning|Exception|::|['`_(]/;
const ENDINGS = /(?:ations?|ing|ed|es|er|s)$/;

/** A word without its ending, so that "quantizes" is "quantized". */
const root = (word) =>
  word.length > 4 ? word.replace(ENDINGS, "").replace(/(.)\1$|[ei]$/, "$1") : word;

const MEANING = new Map(
  SAME.flatMap((line) => {
    const [first, ...rest] = line.split(" ").map(root);
    return rest.map((word) => [word, first]);
  }),
);

/** The words of a text that say something, by what they mean. */
export function wordsOf(text) {
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
function weightsOf({ name, headings, codes, text }) {
  const weights = new Map();
  const places = [[text], codes, [...headings, ALSO_SAID[name] ?? ""]];
  for (const [place, weight] of [1, IN_CODE, IN_HEADING].entries())
    for (const feature of places[place].flatMap(featuresOf)) weights.set(feature, weight);
  return weights;
}

/**
 * What is asked again and again, computed once. An entry is
 * {name, headings, codes, text, runs}; the last says that it is about a model that runs.
 */
export function indexOf(entries) {
  const indexed = entries.map((entry) => ({ entry, weights: weightsOf(entry) }));
  const having = new Map();
  for (const { weights } of indexed)
    for (const feature of weights.keys()) having.set(feature, (having.get(feature) ?? 0) + 1);
  const rarity = new Map(
    Array.from(having, ([feature, count]) => [feature, Math.log((entries.length + 1) / count)]),
  );
  const size = indexed.reduce((sum, { weights }) => sum + weights.size, 0) / entries.length;
  return { indexed, rarity, size };
}

/** A query without the frames of a traceback, whose files and lines are nobody else's. */
const withoutFrames = (query) => query.replace(FRAME, "").replace(PLACE, "");

/** What a query asks for that any entry has, and whether it is a message. */
function askedIn(query, rarity) {
  const features = new Set(featuresOf(withoutFrames(query)));
  const known = [...features].filter((feature) => rarity.has(feature));
  return { known, isMessage: OF_A_MESSAGE.test(query) };
}

/** All entries that share a word with the query, the best first, with their points. */
export function ranked({ indexed, rarity, size }, query) {
  const { known, isMessage } = askedIn(query, rarity);
  const points = ({ entry, weights }) => {
    const shared = known.reduce((s, f) => s + rarity.get(f) * (weights.get(f) ?? 0), 0);
    const length = 1 - LENGTH_COUNTS + LENGTH_COUNTS * (weights.size / size);
    return (shared / length) * (isMessage || entry.runs ? 1 : STOPS_TOO);
  };
  const isQuote = (weights) => (feature) =>
    feature.includes(" ") && weights.get(feature) >= IN_CODE;
  return indexed
    .map((each) => ({
      entry: each.entry,
      points: points(each),
      quoted: known.filter(isQuote(each.weights)).length >= QUOTED,
    }))
    .filter((found) => found.points > 0)
    .sort((one, other) => other.points - one.points);
}

/**
 * The few entries that look most like the query, and whether the first can be relied on: one that
 * does not quote the message that was pasted is only the nearest.
 */
export function closest(index, query) {
  const [best, ...rest] = ranked(index, query).slice(0, MOST);
  if (!best) return { entries: [], sure: false };
  const near = rest.filter(({ points }) => points >= LEAST_OF_BEST * best.points);
  const sure = best.quoted || !OF_A_MESSAGE.test(query);
  return { entries: [best, ...near].map(({ entry }) => entry), sure };
}
