// Which QConfig reaches a module: set the rules, and see which of them decides where.

import * as field from "../shared/fields.js";
import { figure } from "../shared/figure.js";
import { html } from "../shared/html.js";
import { parentOf, patternOf, winningRules } from "../shared/precedence.js";

const LETTERS = "ABCDEFGH";
const HUES = "#7a828c #2f7de1 #1f9d76 #c98512 #d0483e #9a5fd0 #2c96a8 #c04f93".split(" ");
const READ = {
  fx: "prepare_fx, as a QConfigMapping",
  eager: "propagate_qconfig_, as a dictionary",
};
const [ORDER, REGEX] = ["module_name_object_type_order", "module_name_regex"];
const isUnread = ({ kind }, reader) => reader === "eager" && [ORDER, REGEX].includes(kind);

export function view({ modules, rules, reader, draft }) {
  const won = new Map(winningRules(modules, rules, reader));
  const [at, most] = [rules.findIndex(({ kind }) => kind === REGEX), Math.ceil((won.size + 1) / 2)];
  const decided = [...won.values()].filter((place) => place === at).length;
  const aim = `let the pattern of rule ${LETTERS[at]} decide about ${most} or more of the ${won.size} layers.`;
  const inner = modules.slice(1); // without the model itself
  const line = (rule, place) =>
    ruleLine(rule, place, keyInput(rule, place, inner, draft), isUnread(rule, reader));
  const said = sentences(won, rules, reader);
  const found = draft ? [[unread(draft, rules[draft.place], reader, said)]] : said;
  return field.panel(
    { name: "rules", label: "Which QConfig reaches a module" },
    html`<ul style="line-height: 2.4">${rules.map(line)}</ul>`,
    field.buttons(field.select({ name: "reader", label: "Read by", value: reader, options: READ })),
    field.hint("Change what reads the rules, and see which modules then get something else."),
    field.columns(moduleTable(inner, rules, won), field.results(found, { between: "", end: ". " })),
    at >= 0 && field.task(!draft && decided >= most, aim),
  );
}

/** What a pattern is that cannot be read, and what its rule gives meanwhile. */
function unread({ text, place }, { key, gives }, reader, said) {
  const matter = `“${text}” is no pattern that the browser can read`;
  if (gives === "off" || reader === "eager") return `${matter}. ${said[place].join("")}`;
  if (patternOf(key)) return `${matter}: “${key}” counts`;
  return `${matter}: nor is “${key}”, so the rule gives nothing`;
}

/** A choice of the keys that make sense, or free text for a pattern; none for the global rule. */
function keyInput({ kind, key }, place, inner, draft) {
  if (kind === "global") return null;
  const named = { name: `rules.${place}.key`, aria: `Rule ${LETTERS[place]}: for what` };
  const text = draft?.place === place ? draft.text : key;
  if (kind === REGEX) return field.bareText({ ...named, value: text, invalid: !patternOf(text) });
  const keyOf = {
    object_type: ({ type }) => type,
    module_name: ({ name }) => name,
    [ORDER]: ({ name, type, order }) => [parentOf(name), type, order],
  };
  const keys = inner.filter((module) => module.is_leaf || kind !== ORDER).map(keyOf[kind]);
  const values = new Set([...keys, key].map((each) => JSON.stringify(each)));
  const options = [...values].map((value) => [value, spelled(kind, JSON.parse(value))]);
  return field.bareSelect({ ...named, value: JSON.stringify(key), options });
}

/** The key as one writes it in Python. */
function spelled(kind, key) {
  if (kind === "object_type") return key;
  return kind === ORDER ? `"${key[0]}", ${key[1]}, ${key[2]}` : `"${key}"`;
}

/** One rule as a line of code, with inputs for its key and for what it gives. */
function ruleLine({ kind, gives }, place, key, unread) {
  const [letter, setter] = [LETTERS[place], `.set_${kind}(`];
  const gifts = { qconfig: `QConfig ${letter}`, none: "None", off: "(rule left out)" };
  const named = { name: `rules.${place}.gives`, aria: `Rule ${letter}: what it gives` };
  const given = field.bareSelect({ ...named, value: gives, options: gifts });
  const call = unread || gives === "off" ? html`<s>${setter}</s>` : setter;
  return html`<li>${badge(place)}<code>${call}</code>${key}<code>${key && ", "}</code>
    ${given}<code>)</code></li>`;
}

const badge = (place) => html`<b class="qb-badge"
  style=${`border-color: ${HUES[place]}; background: ${HUES[place]}38`}>${LETTERS[place]}</b>`;

/** The modules, those inside others indented; the last column says what a leaf gets. */
function moduleTable(inner, rules, won) {
  const gets = (place) =>
    place === null ? "nothing" : [rules[place].gives === "none" && "None, by ", badge(place)];
  const row = ({ name, type }) => {
    const indent = `padding-left: ${1.2 * (name.split(".").length - 1)}rem`;
    return [html`<span style=${indent}>${name}</span>`, type, won.has(name) && gets(won.get(name))];
  };
  return field.table(["Module", "Class", "gets"], inner.map(row));
}

/** What each rule decides, in words. */
function sentences(won, rules, reader) {
  const named = (place) => [...won].filter(([, at]) => at === place).map(([name]) => name);
  const decides = (rule, place) => {
    if (rule.gives === "off") return "nothing: it is left out";
    const unread = isUnread(rule, reader) && "none, since eager mode has no such rule";
    const odd = rule.kind === REGEX && !patternOf(rule.key) && "none: the browser cannot read it";
    const nothing = unread || odd || "none";
    const gift = rule.gives === "none" ? "None" : `QConfig ${LETTERS[place]}`;
    return `${gift} to ${named(place).join(", ") || nothing}`;
  };
  const parts = rules.map((rule, place) => [`${LETTERS[place]} gives `, decides(rule, place)]);
  const none = named(null).join(", ");
  return none ? [...parts, ["No rule for ", none]] : parts;
}

/** What changes in the state; a pattern that cannot be read stays a draft in this view. */
export function changed({ rules }, name, value) {
  const [trait, at, part] = name.split(".");
  if (trait === "reader") return { reader: value, draft: null };
  const place = Number(at);
  const isText = part === "gives" || rules[place].kind === REGEX;
  if (part === "key" && isText && !patternOf(value)) return { draft: { place, text: value } };
  const next = { ...rules[place], [part]: isText ? value : JSON.parse(value) };
  return { rules: rules.with(place, next), draft: null };
}

const traits = ["modules", "rules", "reader"];
export default figure({ traits, view, changed, local: { draft: null } });
