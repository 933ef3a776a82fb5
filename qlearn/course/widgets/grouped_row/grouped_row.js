// A row of weights in groups: drag a large weight, and see which of the others it harms.

import * as draw from "../shared/drawing.js";
import * as field from "../shared/fields.js";
import { figure } from "../shared/figure.js";
import { decimal, percent, signed } from "../shared/print.js";
import { float32Values } from "../shared/values.js";
import * as math from "./groups.js";

const { ink } = draw;
const LARGE = 20; // the place of the large weight
const SIZES = [8, 16, 32, 64];
const SCHEMES = { symmetric: "symmetric", affine: "affine", nf4: "NF4" };
const DOMAIN = [-2, 8]; // of the picture, and from 0 on of the large weight
const [TOP, BOTTOM] = [8, 308]; // pixels

/** What follows from the state: the row, its groups, and how well it comes back. */
function derive({ values, outlier, group_size: groupSize, bits, scheme }) {
  const row = float32Values(values).slice();
  row[LARGE] = outlier;
  const found = math.groups(row, { groupSize, bits, scheme });
  const restored = found.flatMap((group) => group.restored);
  const cost = math.bitsPerWeight({ groupSize, bits, scheme });
  const erased = restored.filter((value, i) => value === 0 && row[i] !== 0).length;
  return { row, groups: found, restored, cost, erased, error: math.error(row, restored, LARGE) };
}

export function view(state) {
  const derived = derive(state);
  return field.panel(
    { name: "grouped-row", label: "A row of weights in groups" },
    controls(state),
    field.hint("Drag the large weight by its blue mark. Press where the first group is to end."),
    picture(state, derived),
    field.results([
      ["Bits for each weight", decimal(derived.cost, 4)],
      ["Error of the other 63", percent(derived.error)],
      ["Became 0", `${derived.erased} of ${derived.row.length}`],
    ]),
    field.task(
      state.outlier === 6 && derived.cost <= 5 && derived.error < 0.2,
      "bring the error below 20 % with five bits a weight or fewer; the large weight stays at 6.",
    ),
  );
}

function controls({ group_size: size, bits, scheme }) {
  const fixed = scheme === "nf4" ? { value: 4, disabled: true } : { value: bits };
  return field.fields(
    field.slider({ name: "size", label: "Group", stops: SIZES, value: SIZES.indexOf(size) }),
    field.slider({ name: "bits", label: "Bits", min: 2, max: 8, ...fixed }),
    field.select({ name: "scheme", label: "Marks", value: scheme, options: SCHEMES }),
  );
}

/** The weights in outline over the marks of their groups; red and filled those that become 0. */
function picture({ outlier }, { row, groups, restored, erased }) {
  const x = draw.across([-0.5, row.length - 0.5]);
  const y = draw.upwards(DOMAIN, BOTTOM, TOP);
  const size = row.length / groups.length;
  const parts = groups.length === 1 ? "one group" : `${groups.length} groups`;
  const label = `${row.length} weights in ${parts}; ${erased} of them ${erased === 1 ? "becomes" : "become"} 0.`;
  const isLost = (i) => restored[i] === 0 && row[i] !== 0;
  const weights = [...row].map((weight, i) => {
    const [stroke, fill] = isLost(i) ? [ink.lost, ink.lost] : [ink.real, "none"];
    return draw.dot(x(i), y(weight), fill, { r: 3, stroke, "stroke-width": 1.5 });
  });
  const drawn = [
    draw.plot(TOP, BOTTOM - TOP, rulers(groups, size, x, y)),
    borders(groups.length, size, x),
    weights,
    draw.line(0, y(outlier), x(LARGE), y(outlier), { stroke: ink.code, "stroke-dasharray": "4 3" }),
    [-2, 0, 2, 4, 6, 8].map((at) => draw.text(0, y(at) + 4, signed(at), { ...draw.end, dx: -16 })),
    draw.target("border", 0, BOTTOM),
  ];
  const held = { name: "outlier", label: "Large weight", value: outlier, text: signed(outlier, 1) };
  return draw.stage({ height: BOTTOM + 10, label, left: 44 }, drawn, [
    draw.held({ ...held, domain: [0, DOMAIN[1]], step: 0.1, at: y }),
  ]);
}

/** The marks of each group as wide as the group, those within the picture. */
function rulers(groups, size, x, y) {
  const marks = groups.flatMap((group, i) => {
    const [from, to] = [i * size - 0.3, (i + 1) * size - 0.7].map(x);
    const inside = group.marks.filter((mark) => mark >= DOMAIN[0] && mark <= DOMAIN[1]);
    return inside.map((mark) => `M${from},${y(mark)}H${to}`);
  });
  return draw.path(marks.join(""), { stroke: ink.code, "stroke-opacity": 0.7 });
}

/** A line between every two groups. */
const borders = (count, size, x) =>
  Array.from({ length: count - 1 }, (_, i) => {
    const place = x((i + 1) * size - 0.5);
    return draw.line(place, TOP, place, BOTTOM);
  });

/**
 * What changes in the state; a point in the picture is brought to the end of a group that is nearest
 * in octaves: 90 is 64 · √2.
 */
export function changed(state, name, value) {
  if (name === "size") return { group_size: SIZES[value] };
  if (name === "border") return { group_size: SIZES.findLast((size) => value[0] > size / 90) ?? 8 };
  return field.replaced(state, name, value);
}

const traits = ["values", "outlier", "group_size", "bits", "scheme"];
export default figure({ traits, view, changed });
