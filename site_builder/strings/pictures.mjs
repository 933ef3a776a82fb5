// What a still of a figure shows, in its order: each outermost <svg>, as markup that stands alone,
// and the tables and words around it, but no control, no hint and no task.

const UNSAID = ["qb-title", "qb-hint", "qb-task", "qb-result"];
const LINES = { p: {}, li: {}, b: { look: "strong" }, pre: { look: "code" } }; // each a line, or more
const CHOICES = { "qb-fields": { look: "strong" }, "qb-buttons": {} }; // of one part of a figure
const BROKEN = ["div", "br"]; // where a line ends inside of a cell

/**
 * Every part of a drawn view: a picture has its `svg`, `height`, `viewBox`, `label`, the `margins` of
 * the stage that it stands on, a `caption`, and `cells` whose words lie over it; a `table` is its
 * rows; `words` are lines.
 */
export function pictures(node, renderToString, around = { margins: "" }) {
  if (Array.isArray(node)) return node.flatMap((each) => pictures(each, renderToString, around));
  if (!node?.props || UNSAID.includes(node.props.class)) return [];
  const { class: name, children } = node.props;
  if (node.type === "svg") return [picture(node, renderToString, around)];
  if (node.type === "table") return [tableOf(node)];
  if (node.type === "label") return []; // a control
  if (node.type in LINES) return lines(said(node), LINES[node.type]);
  if (name in CHOICES) return around.isPart ? lines(chosen(node), CHOICES[name]) : [];
  const found = pictures(children, renderToString, within(node.props, around));
  return withWords(found, node);
}

/** What parts know of what they stand in: the stage's margins, and a text for unnamed pictures. */
const within = ({ class: name = "", role, style, "data-alt": alt }, around) => ({
  margins: name === "qb-stage" ? style : around.margins,
  alt: alt ?? around.alt,
  isPart: around.isPart || (role === "group" && !name.startsWith("qb-widget")),
});

function picture(node, renderToString, { margins, alt }) {
  withoutTight(node);
  const { height, viewBox, "aria-label": label = alt } = node.props;
  return { svg: renderToString(node), height, viewBox, label: label ?? alt, margins };
}

/** The first picture of an element has the words that stand beside it there. */
function withWords([first, ...rest], { props }) {
  const parts = [props?.children].flat(Infinity);
  if (!first?.svg || !parts.some((part) => part?.type === "svg"))
    return [first, ...rest].filter(Boolean);
  const caption = said(parts.filter((part) => !part?.props || part.type === "span"));
  const cells = parts.filter((part) => part?.type === "label").map(cell);
  const columns = Number(/repeat\((\d+)/.exec(props.style ?? "")?.[1]);
  return [{ ...first, caption, ...(cells.length > 0 && { cells, columns }) }, ...rest];
}

const cell = (label) => ({
  words: said(label),
  checked: [label.props.children].flat(Infinity).some((part) => part?.props?.checked),
});

/** The rows of a table, that of the heads first, as words. */
const tableOf = ({ props }) => ({
  table: all(props.children, "tr").map((row) => all(row, "th", "td").map(said)),
  isNumbers: props.class.includes("qb-numbers"),
});

/** All elements of some kinds that stand inside. */
const all = (node, ...types) =>
  [node?.props && !Array.isArray(node) ? node.props.children : node]
    .flat(Infinity)
    .flatMap((part) =>
      types.includes(part?.type) ? [part] : part?.props ? all(part, ...types) : [],
    );

const lines = (words, look) => (words.trim() ? [{ words: words.trim(), ...look }] : []);

/** What is chosen in a row of fields or buttons. */
function chosen(node) {
  const pressed = all(node, "button").filter(({ props }) => props["aria-pressed"] === "true");
  return [...all(node, "label").map(said), ...pressed.map((part) => `→ ${said(part)}`)].join(", ");
}

/** The words of a part as they are read; of a field those that stand in it. */
function said(node) {
  if (Array.isArray(node)) return node.map(said).join("");
  if (!node?.props) return ["string", "number"].includes(typeof node) ? `${node}` : "";
  const { children, defaultValue, value } = node.props;
  if (node.type === "svg") return "";
  if (node.type === "input") return node.props.type === "text" ? value : number(defaultValue);
  if (node.type === "select")
    return said(all(children, "option").filter(({ props }) => props.selected));
  const inside = [children].flat(Infinity).map(said);
  if (node.type === "label") return inside.filter(Boolean).join(" ").trim();
  if (node.type === "li") return `${inside[0]} ${inside.slice(1).join("")}`; // after its badge
  return `${BROKEN.includes(node.type) ? "\n" : ""}${inside.join("")}`;
}

const number = (value = "") => `${value}`.replace("-", "−");

/** Take out what is drawn a second time for narrow pages, and paths of nothing: XML has no bare `d`. */
function withoutTight({ props }) {
  if (!props?.children) return;
  const drawn = (child) => child?.props?.class !== "qb-tight" && child?.props?.d !== "";
  props.children = [props.children].flat(Infinity).filter(drawn);
  for (const child of props.children) withoutTight(child ?? {});
}
