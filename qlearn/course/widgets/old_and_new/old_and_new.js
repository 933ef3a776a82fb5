// Old and new: make one token larger, and see what one scale for all, and one for each, make of it.

import * as draw from "../shared/drawing.js";
import * as field from "../shared/fields.js";
import { figure } from "../shared/figure.js";
import { decibels, span } from "../shared/print.js";
import { clamp } from "../shared/quantmath.js";
import { stepped } from "../shared/values.js";
import { byBoth } from "./token_scales.js";

const [KEY, ROW, BAR] = [42, 36, 13]; // heights in pixels: of the key, of a token, of one bar
const [OLD, NEW] = [draw.hollow, [draw.ink.code]];
const LONGEST = 60; // dB that the axis reaches at least
const SIZES = [1, 2, 4, 8, 16, 32, 64, 128, 256].map((size) => `×${size}`);

export function view(state) {
  const rules = byBoth(state);
  return field.panel(
    { name: "old-and-new", label: "One scale for all tokens, or one for each" },
    controls(state),
    field.hint(
      "Double the size, and again: which bars shrink? Then drag the dot to another token.",
    ),
    picture(state, rules),
    chosen(rules),
    field.results(found(rules, state)),
    field.task(
      state.octaves >= 4 && rules[0].rows.every(({ sqnr }) => sqnr > 17),
      "make the token 16 times as large, and keep each token above 17 dB by the old rule.",
    ),
  );
}

function controls({ octaves, mapping, reduce_range: reduced }) {
  const mappings = ["symmetric", "asymmetric"].map((name) => [name, name]);
  return field.fields(
    field.slider({ name: "octaves", label: "Size of the token", value: octaves, stops: SIZES }),
    field.either("reduce_range", "Old codes", reduced, ["0 … 127", "0 … 255"]),
    field.select({ name: "mapping", label: "New codes", value: mapping, options: mappings }),
  );
}

const inPrint = ({ sqnr, lost }) => (lost ? "all zeros" : decibels(sqnr, 1));

/** For each token two bars, as long as its SQNR in dB, below a key to them. */
function picture(state, rules) {
  const tokens = rules[0].rows.map((old, i) => [old, rules[1].rows[i]]);
  const finite = tokens.flat().flatMap(({ sqnr }) => (Number.isFinite(sqnr) ? [sqnr] : []));
  const { domain } = stepped([0, Math.max(LONGEST, ...finite)], 10);
  const height = state.rows * ROW;
  const said = tokens.map((pair) => pair.map(inPrint).join(" and "));
  const label = `Two bars for each token, its SQNR by the old and the new rule: ${said.join("; ")}`;
  const named = { name: "token", label: "Enlarged token", text: `token ${state.token + 1}` };
  const place = { domain: [0, state.rows - 1], at: (row) => KEY + (row + 0.5) * ROW };
  const mark = draw.dot(0, place.at(state.token), "currentColor", { r: 8 }); // grips look like bars
  const handle = draw.held({ ...named, value: state.token, ...place, mark });
  const picture = [
    bar(4, 0, OLD, "old: one scale for all"),
    bar(4, 17, NEW, "new: one for each token"),
    tokens.map((pair, row) => barsOf(pair, row, state, draw.across(domain))),
    draw.line(0, KEY, 0, KEY + height),
    draw.axis(domain, KEY + height, { name: "SQNR in dB" }),
    draw.target("row", KEY, height),
  ];
  return draw.stage({ height: KEY + height + 38, label, left: 98, right: 60 }, picture, [handle]);
}

function barsOf([old, fresh], row, { token, octaves }, x) {
  const top = KEY + row * ROW;
  const size = row === token && octaves > 0 ? ` ${SIZES[octaves]}` : "";
  return [
    draw.text(0, top + ROW / 2 + 4, `token ${row + 1}${size}`, { ...draw.end, dx: -15 }),
    bar(x(old.sqnr), top + 4, OLD, inPrint(old)),
    bar(x(fresh.sqnr), top + 18, NEW, inPrint(fresh)),
  ];
}

/** A bar from the left to a place, and words at its end. */
const bar = (place, top, look, words) => [
  draw.bar(0, place, top, top + BAR, ...look),
  draw.text(place, top + BAR - 2, words, { ...draw.start, dx: 5 }),
];

/** What each rule chose, and how well all tokens together came out. */
function chosen(rules) {
  const spans = (name) => rules.map(({ rows }) => span(rows.map(({ qparams }) => qparams[name])));
  const rows = [
    ["Scale", ...spans("scale")],
    ["Zero\u00a0point", ...spans("zeroPoint")],
    ["All\u00a0tokens", ...rules.map(({ sqnr }) => decibels(sqnr, 1).replace(" ", "\u00a0"))],
  ];
  return field.table(["Rule", "old", "new"], rows);
}

/** How well the enlarged and the weakest token came out, and how many the old rule loses. */
function found(rules, { token }) {
  const [old, fresh] = rules.map(({ rows }) => {
    const least = Math.min(...rows.map(({ sqnr }) => sqnr));
    const place = rows.findIndex(({ sqnr }) => sqnr === least);
    const zeros = rows.filter(({ lost }) => lost).length;
    const weakest = `token ${place + 1}, ${decibels(least, 1)}`;
    return { weakest, zeros, large: inPrint(rows[token]) };
  });
  return [
    ["Enlarged token", `${old.large} old, ${fresh.large} new`],
    ["Weakest by the old rule", old.weakest],
    ["by the new", fresh.weakest],
    ["All zeros by the old", `${old.zeros} of ${rules[0].rows.length}`],
  ];
}

/** What changes in the state with an input, or with a point among the tokens of the picture. */
export const changed = ({ rows }, name, value) =>
  name === "row" ? { token: clamp(Math.floor(value[1] * rows), 0, rows - 1) } : { [name]: value };

const traits = ["values", "rows", "token", "octaves", "mapping", "reduce_range"];
export default figure({ traits, view, changed });
