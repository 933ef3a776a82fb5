// Which rule decides about a module, as qlearn.winning_rules has it from torch.

/** For each leaf its name, and the place in `rules` of the rule that wins, or null. */
export function winningRules(modules, rules, reader) {
  const inForce = rules.map((rule) => (rule.gives === "off" ? {} : rule));
  const find = (kind, key) => {
    const isIt = (rule) => rule.kind === kind && JSON.stringify(rule.key) === JSON.stringify(key);
    const place = inForce.findLastIndex(isIt);
    return place < 0 ? null : place;
  };
  const types = new Map(modules.map(({ name, type }) => [name, type]));
  const winner = (leaf) =>
    reader === "fx" ? winnerInFx(leaf, inForce, find) : winnerInEagerMode(leaf.name, types, find);
  return modules.filter((module) => module.is_leaf).map((leaf) => [leaf.name, winner(leaf)]);
}

function winnerInFx({ name, type, order }, rules, find) {
  const fits = ({ kind, key }) => kind === "module_name_regex" && patternOf(key)?.test(name);
  return (
    find("module_name_object_type_order", [parentOf(name), type, order]) ??
    winnerByName(name, find) ??
    find("module_name_regex", rules.find(fits)?.key) ?? // the first pattern that fits
    find("object_type", type) ??
    find("global", "")
  );
}

/** The longest name wins: that of the module, or of one that it is in. */
const winnerByName = (name, find) =>
  name ? (find("module_name", name) ?? winnerByName(parentOf(name), find)) : null;

function winnerInEagerMode(name, types, find) {
  const asModel = name === "" ? find("global", "") : null;
  const own = find("module_name", name) ?? asModel ?? find("object_type", types.get(name));
  return own ?? (name === "" ? null : winnerInEagerMode(parentOf(name), types, find));
}

/** The name of the module that this one is in. */
export const parentOf = (name) => name.slice(0, Math.max(name.lastIndexOf("."), 0));

// What JavaScript reads and Python refuses: its properties, code points and control letters, an empty
// class, groups that it names otherwise, and a look-behind that may have several lengths.
const UNKNOWN = /\\(?:[pPc]|u\{)|\[\^?\]|\(\?<(?![=!][^()|*+?{]*\))/;
const known = (text) => text.replace(/\\[^pPcu]/g, "x"); // an escape that both read alike

/**
 * As re.match; null if one of the two languages cannot read it. Without the u, Python's \Z would be
 * read as a letter.
 */
export function patternOf(text) {
  if (UNKNOWN.test(known(text))) return null;
  try {
    return new RegExp(text, "yu");
  } catch {
    return null;
  }
}
