// Which QConfig reaches a module: set the rules, and see which of them decides where.

import { isPattern, winningRules } from "./rule_math.js";
import { element } from "./drawing.js";
import { facts, onChange, panel, resultLine } from "./panel.js";

const LETTERS = "ABCDEFGH";
const SETTERS = {
  global: "set_global",
  object_type: "set_object_type",
  module_name_regex: "set_module_name_regex",
  module_name: "set_module_name",
  module_name_object_type_order: "set_module_name_object_type_order",
};
const UNKNOWN_IN_EAGER_MODE = ["module_name_regex", "module_name_object_type_order"];

function render({ model, el }) {
  const modules = model.get("modules");
  const root = panel(el, "qb-rules", "Which QConfig reaches a module");
  // JupyterLab takes keys for its cells, unless they stop here.
  root.addEventListener("keydown", (event) => event.stopPropagation());
  const rows = model.get("rules").map((rule, place) => ruleRow(rule, place, modules));
  const reader = readerChoice();
  const list = element("ul", { className: "qb-rule-list" });
  list.append(...rows.map((row) => row.item));
  const tree = moduleTree(modules);
  const result = resultLine();
  root.append(list, reader.label, tree.table, result);

  function show() {
    const rules = model.get("rules");
    rows.forEach((row, place) => row.show(rules[place], model.get("reader")));
    reader.input.value = model.get("reader");
    const decided = decisions(modules, rules, model.get("reader"));
    tree.show(decided);
    result.replaceChildren(...sentences(decided, rules, model.get("reader")));
  }

  let ours = false;
  /** Put a change into the model; one that Python would refuse stays in the browser. */
  function put(name, value) {
    ours = true;
    model.set(name, value);
    ours = false;
    model.save_changes();
    show();
  }
  rows.forEach((row, place) => {
    row.onChange((rule) => {
      if (rule.kind === "module_name_regex" && !isPattern(rule.key)) {
        result.textContent = `“${rule.key}” is not a regular expression yet.`;
        return;
      }
      put("rules", model.get("rules").map((old, at) => (at === place ? rule : old)));
    });
  });
  reader.input.addEventListener("input", () => put("reader", reader.input.value));
  const showModel = () => ours || show();
  const stop = onChange(model, ["rules", "reader"], showModel);
  show();
  return () => {
    stop();
    root.remove();
  };
}

/** For each leaf: its name, the letter of the rule that decides, and whether that gives None. */
function decisions(modules, rules, reader) {
  const inForce = rules
    .map((rule, place) => ({ ...rule, letter: LETTERS[place] }))
    .filter((rule) => rule.gives !== "off");
  return winningRules(modules, inForce, reader).map(([name, at]) => {
    const rule = at === null ? null : inForce[at];
    return { name, letter: rule?.letter ?? null, isNone: rule === null || rule.gives === "none" };
  });
}

/** One rule as a line of code, with inputs for its key and for what it gives. */
function ruleRow(rule, place, modules) {
  const letter = LETTERS[place];
  const setter = SETTERS[rule.kind];
  const item = element("li", { className: "qb-rule" });
  const key = keyInput(rule, modules);
  const gives = element("select");
  gives.append(
    element("option", { value: "qconfig", textContent: `QConfig ${letter}` }),
    element("option", { value: "none", textContent: "None" }),
    element("option", { value: "off", textContent: "(rule left out)" }),
  );
  key?.setAttribute("aria-label", `Rule ${letter}, ${setter}: for what`);
  gives.setAttribute("aria-label", `Rule ${letter}, ${setter}: what it gives`);
  const code = (textContent) => element("code", { textContent });
  item.append(badge(letter), code(`.${setter}(`), ...(key ? [key, code(", ")] : []), gives, code(")"));
  const read = () => ({
    kind: rule.kind,
    key: key ? keyOf(rule.kind, key.value) : "",
    gives: gives.value,
  });
  const onChange = (callback) => {
    gives.addEventListener("input", () => callback(read()));
    key?.addEventListener("input", () => callback(read()));
  };
  const show = (shown, reader) => {
    if (key) key.value = valueOf(shown.key);
    gives.value = shown.gives;
    item.classList.toggle("qb-unread", isUnread(rule.kind, reader) || shown.gives === "off");
  };
  return { item, onChange, show };
}

/** A choice of the keys that make sense, or free text for a pattern; none for the global rule. */
function keyInput({ kind, key }, modules) {
  if (kind === "global") return null;
  if (kind === "module_name_regex")
    return element("input", { type: "text", spellcheck: false, autocapitalize: "off", size: 10 });
  const inner = modules.filter(({ name }) => name !== "");
  const choices = {
    object_type: () => inner.map(({ type }) => type),
    module_name: () => inner.map(({ name }) => name),
    module_name_object_type_order: () =>
      inner
        .filter((module) => module.is_leaf)
        .map(({ name, type, order }) => valueOf([parentPath(name), type, order])),
  };
  const values = new Set([...choices[kind](), valueOf(key)]);
  const input = element("select");
  input.append(
    ...[...values].map((value) => element("option", { value, textContent: spelled(kind, value) })),
  );
  return input;
}

const parentPath = (name) => name.split(".").slice(0, -1).join(".");
const valueOf = (key) => (Array.isArray(key) ? JSON.stringify(key) : key);
const keyOf = (kind, value) =>
  kind === "module_name_object_type_order" ? JSON.parse(value) : value;

/** The key as one writes it in Python. */
function spelled(kind, value) {
  if (kind === "object_type") return value;
  if (kind === "module_name") return `"${value}"`;
  const [parent, type, order] = JSON.parse(value);
  return `"${parent}", ${type}, ${order}`;
}

function readerChoice() {
  const label = element("label", { className: "qb-reader" });
  const input = element("select");
  input.append(
    element("option", { value: "fx", textContent: "prepare_fx, as a QConfigMapping" }),
    element("option", { value: "eager", textContent: "propagate_qconfig_, as a dictionary" }),
  );
  label.append(element("span", { textContent: "Read by " }), input);
  return { label, input };
}

/** The modules as a table whose names are indented; the last column says what a leaf gets. */
function moduleTree(modules) {
  const table = element("table", { className: "qb-modules" });
  const head = element("tr");
  for (const title of ["Module", "Class", "gets"])
    head.append(element("th", { scope: "col", textContent: title }));
  const body = element("tbody");
  const cells = new Map();
  for (const { name, type, is_leaf: isLeaf } of modules.filter((module) => module.name !== "")) {
    const row = element("tr");
    const title = element("th", { scope: "row", textContent: name });
    title.style.paddingInlineStart = `${0.4 + 1.2 * (name.split(".").length - 1)}rem`;
    const cell = element("td");
    row.append(title, element("td", { textContent: type }), cell);
    body.append(row);
    if (isLeaf) cells.set(name, cell);
  }
  const top = element("thead");
  top.append(head);
  table.append(top, body);
  const show = (decided) => {
    for (const { name, letter, isNone } of decided)
      cells.get(name).replaceChildren(...gets(letter, isNone));
  };
  return { table, show };
}

function gets(letter, isNone) {
  if (letter === null) return ["nothing"];
  return isNone ? ["None, by ", badge(letter)] : [badge(letter)];
}

function badge(letter) {
  return element("b", { className: `qb-badge qb-badge-${letter}`, textContent: letter });
}

/** What each rule decides, in words. */
function sentences(decided, rules, reader) {
  const parts = rules.map((rule, place) => {
    const letter = LETTERS[place];
    const about = rule.kind === "global" ? "for all" : `for ${describe(rule.key)}`;
    return [`${letter}, ${about}, gives `, outcome(decided, letter, rule, reader)];
  });
  const none = decided.filter(({ letter }) => letter === null);
  if (none.length) parts.push(["No rule for ", none.map(({ name }) => name).join(", ")]);
  return facts(parts, "", ". ");
}

function outcome(decided, letter, { kind, gives }, reader) {
  if (gives === "off") return "nothing: it is left out";
  const names = decided.filter((module) => module.letter === letter).map(({ name }) => name);
  const gift = gives === "none" ? "None" : `QConfig ${letter}`;
  const whom = isUnread(kind, reader) ? "nobody, since eager mode has no such rule" : "nobody";
  return `${gift} to ${names.join(", ") || whom}`;
}

/** The key in words. */
function describe(key) {
  if (!Array.isArray(key)) return `“${key}”`;
  const [parent, type, order] = key;
  return `${type} number ${order} in ${parent === "" ? "the model" : `“${parent}”`}`;
}

const isUnread = (kind, reader) => reader === "eager" && UNKNOWN_IN_EAGER_MODE.includes(kind);

export default { render };
