// Which rule decides about a module, as qlearn.calibration.qconfig has it from torch.

/** For each leaf the place in `rules` of the one that wins, or null. */
export function winningRules(modules, rules, reader) {
  const byKind = keyed(rules);
  const types = new Map(modules.map(({ name, type }) => [name, type]));
  const winner = (leaf) =>
    reader === "fx" ? winnerInFx(leaf, byKind) : winnerInEagerMode(leaf.name, types, byKind);
  return modules.filter((module) => module.is_leaf).map((leaf) => [leaf.name, winner(leaf)]);
}

/** Tell whether the browser can read a pattern. */
export function isPattern(text) {
  try {
    return Boolean(new RegExp(text));
  } catch {
    return false;
  }
}

/** For each kind a Map from key to place; a later rule of the same key takes the earlier's turn. */
function keyed(rules) {
  const byKind = {
    global: new Map(),
    object_type: new Map(),
    module_name_regex: new Map(),
    module_name: new Map(),
    module_name_object_type_order: new Map(),
  };
  rules.forEach(({ kind, key }, place) => byKind[kind].set(asKey(key), place));
  return byKind;
}

function winnerInFx(leaf, rules) {
  const place = asKey([parentOf(leaf.name), leaf.type, leaf.order]);
  if (rules.module_name_object_type_order.has(place))
    return rules.module_name_object_type_order.get(place);
  for (let name = leaf.name; name; name = parentOf(name))
    if (rules.module_name.has(name)) return rules.module_name.get(name);
  for (const [pattern, place] of rules.module_name_regex)
    if (matchesFromStart(pattern, leaf.name)) return place;
  return rules.object_type.get(leaf.type) ?? rules.global.get("") ?? null;
}

function winnerInEagerMode(name, types, rules) {
  if (rules.module_name.has(name)) return rules.module_name.get(name);
  if (name === "" && rules.global.has("")) return rules.global.get("");
  const type = types.get(name);
  if (rules.object_type.has(type)) return rules.object_type.get(type);
  return name === "" ? null : winnerInEagerMode(parentOf(name), types, rules);
}

/** As re.match: from the first letter on, but not necessarily to the last. */
const matchesFromStart = (pattern, name) => new RegExp(pattern, "y").test(name);
const parentOf = (name) => name.slice(0, Math.max(name.lastIndexOf("."), 0));
const asKey = (key) => (Array.isArray(key) ? JSON.stringify(key) : key);
