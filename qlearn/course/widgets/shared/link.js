// A state of a figure in the address of its page, behind the "#": what differs from the opening.
// Nothing is sent: a browser keeps this part of an address to itself.

const MARK = "#figure-";
const PRIVATE = "\ue000"; // a letter that no text has
const same = (a, b) => inJson(a) === inJson(b);
const isStored = (value) => value instanceof DataView; // tensors, which no reader changes

/**
 * The link of a figure on the site: `write` puts a state into it, `read` says what the page's
 * address changes from the opening, or null. In a notebook a figure has no address, and nowhere
 * has one without a link, such as a question, whose formulas are markup.
 */
export function linkOf(el, opening) {
  const id = el.dataset?.model?.slice(0, 8);
  const link = () => id && el.querySelector("a.qb-link");
  return {
    write(state) {
      if (link()) link().href = addressOf(id, state, opening);
    },
    read: () => (link() ? stateIn(location.hash, id, opening) : null),
  };
}

/** The part of an address for a state of the figure with this id. */
export function addressOf(id, state, opening) {
  const moved = Object.entries(state).filter(
    ([name, value]) => !isStored(value) && !same(value, opening[name]),
  );
  return `${MARK}${id}=${encodeURIComponent(inJson(Object.fromEntries(moved)))}`;
}

/** As JSON.stringify has it, but for −0, which that writes as 0. */
const inJson = (value) =>
  JSON.stringify(value, (_, each) => (Object.is(each, -0) ? PRIVATE : each))?.replaceAll(
    `"${PRIVATE}"`,
    "-0",
  );

/** All traits that an address brings: those that it names, of the right kind, and the opening's. */
export function stateIn(hash, id, opening) {
  const start = `${MARK}${id}=`;
  if (!hash.startsWith(start)) return null;
  try {
    const given = Object.entries(JSON.parse(decodeURIComponent(hash.slice(start.length))));
    const fitting = given.filter(
      ([name, value]) => Object.hasOwn(opening, name) && fits(value, opening[name]),
    );
    return { ...opening, ...Object.fromEntries(fitting) };
  } catch {
    return null; // cut off, or typed by hand
  }
}

/**
 * A value may stand where null did, and null where a value did; else it is of the same kind, as are
 * the items of a list. Where a word was chosen, a number may be: a scale is for a "channel", or for
 * 32 weights.
 */
function fits(value, before) {
  if (isStored(before) || !isSound(value)) return false;
  if (value === null || before === null) return true;
  if (typeof before === "string" && typeof value === "number") return true;
  if (Array.isArray(value) && Array.isArray(before)) return value.every(isLike(before));
  return typeof value === typeof before && Array.isArray(value) === Array.isArray(before);
}

/** Of an empty list numbers are known to become part, and lists, as in a walk. */
const isLike = (before) => (item) =>
  before.length > 0 ? fits(item, before[0]) : typeof item === "number" || Array.isArray(item);

/** Whether all numbers in a value are finite: 1e400 is read as Infinity. */
const isSound = (value) =>
  typeof value === "number"
    ? Number.isFinite(value)
    : value === null || typeof value !== "object" || Object.values(value).every(isSound);
