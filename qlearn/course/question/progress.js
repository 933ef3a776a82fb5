// Which questions the reader has solved: a list of names, kept in this browser and nowhere else.
// A question is solved once its right answer was given on the page, after however many tries.

const COURSE = "Quantization, Bit by Bit";
export const CHANGED = "qb-progress"; // the event that tells the page of a change
const KEY = "quantization-bit-by-bit";
const VERSION = 1;
const NAME = /^[a-z0-9]+(-[a-z0-9]+)*$/;

let unkept = null; // what is known where the browser keeps nothing: until the page is left

/** The text that the browser has, or null: storage may be absent or forbidden. */
function stored() {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}

function parsed(text) {
  try {
    const record = JSON.parse(text);
    return typeof record === "object" && !Array.isArray(record) ? record : null;
  } catch {
    return null;
  }
}

/** The names in a record: of this version a list; in an older one they were keys. */
function namesIn(record) {
  const solved = record?.solved;
  const listed = Array.isArray(solved)
    ? solved
    : Object.keys(solved ?? {}).filter((name) => solved[name]);
  return listed.filter((name) => typeof name === "string" && NAME.test(name));
}

export const solvedNames = () => unkept ?? namesIn(parsed(stored()));

export const isSolved = (name) => solvedNames().includes(name);

const record = (names) => JSON.stringify({ course: COURSE, version: VERSION, solved: names });

/** Keep these names and no others; what a newer version has put beside them stays. */
function keep(names) {
  const sorted = [...new Set(names)].sort();
  const rest = parsed(stored()) ?? {};
  const version = Math.max(VERSION, Number(rest.version) || 0);
  try {
    localStorage.setItem(KEY, JSON.stringify({ ...rest, ...JSON.parse(record(sorted)), version }));
    unkept = null;
  } catch {
    unkept = sorted;
  }
  globalThis.dispatchEvent?.(new Event(CHANGED));
}

export const keepSolved = (name) => isSolved(name) || keep([...solvedNames(), name]);

/** The text of the file that a reader takes to another browser. */
export const exported = () => `${record(solvedNames())}\n`;

/** Add what a file says; return a sentence. One that is no file of progress changes nothing. */
export function imported(text) {
  const file = parsed(text);
  if (file?.course !== COURSE || !Array.isArray(file.solved))
    return "This is no file of progress from this course. Nothing was changed.";
  const before = solvedNames();
  const added = namesIn(file).filter((name) => !before.includes(name));
  keep([...before, ...added]);
  return `The file names ${counted(namesIn(file).length)}. New here: ${added.length}.`;
}

export const counted = (count) => (count === 1 ? "1 solved question" : `${count} solved questions`);

export function erase() {
  try {
    localStorage.removeItem(KEY);
  } catch {
    // then there was nothing
  }
  unkept = null;
  globalThis.dispatchEvent?.(new Event(CHANGED));
}
