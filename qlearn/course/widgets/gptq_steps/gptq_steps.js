// GPTQ: step from column to column, and see where the error of each one goes.

import * as draw from "../shared/drawing.js";
import * as field from "../shared/fields.js";
import { figure } from "../shared/figure.js";
import * as math from "../shared/gptq.js";
import { PLAYER, played, player } from "../shared/player.js";
import { percent, signed } from "../shared/print.js";
import { extremes, rowsOf } from "../shared/quantmath.js";
import { float32Values, latest, niceTicks } from "../shared/values.js";

const [TOP, ROW, FOOT, HIGH, LOW] = [30, 108, 26, 20, 104]; // of rows and numbers; of the chart
const TASK = "find the column that moves another weight by more than its own error.";
const ORIGINAL = { stroke: draw.ink.real, "stroke-dasharray": "3 2.24" }; // six dashes round a ring
const RED = { fill: draw.ink.lost };
const BESIDE = { "stroke-width": 3, transform: "translate(11)" }; // a weight: how it moved

const rowsIn = (bytes, columns) => rowsOf(float32Values(bytes), columns).map((row) => [...row]);

/** Of the inputs alone: XᵀX, and which parts of a column's error the later ones take. */
const ofInputs = latest((bytes, columns) => {
  const sums = math.gram(rowsIn(bytes, columns));
  const hessian = math.hessian(sums);
  return { sums, shares: hessian.map((_, i) => math.shares(hessian, i)) };
});

/** What follows from the state: both ways to round, and what the outputs lose on the way. */
function derive({ columns, bits, step, ...given }) {
  const { sums, shares } = ofInputs(given.inputs, columns);
  const weight = rowsIn(given.weight, columns);
  const qparams = math.rowQParams(weight, bits);
  const ways = [(i) => shares[i], () => ({})]; // GPTQ, and to nearest
  const [gptq, nearest] = ways.map((sharesOf) => math.steps(weight, qparams, sharesOf));
  const errorOf = ({ after }) => math.outputError(weight, after, sums);
  const lost = [gptq, nearest].map((steps) => [0, ...steps.map(errorOf)]);
  const x = draw.across([0, columns]);
  const { before, after } = gptq[step - 1] ?? { before: weight, after: weight };
  const moves = after.map((row, r) => row.map((w, i) => (w - before[r][i]) / qparams[r].scale));
  const most = weight[0].map((_, i) => Math.max(...moves.map((row) => Math.abs(row[i]))));
  const all = { weight, qparams, gptq, nearest, before, after, lost, columns, step, x };
  return { ...all, moves, most, error: most[step - 1], moved: Math.max(0, ...most.slice(step)) };
}

export function view(state) {
  const derived = derive(state);
  return field.panel(
    { name: "gptq-steps", label: "GPTQ, column by column" },
    field.fields(field.slider({ name: "bits", label: "Bits", value: state.bits, min: 2, max: 4 })),
    player(state, { at: state.step, last: state.columns, next: "Next column" }),
    field.hint("Go column by column. Red: its error and what that moves, in steps of the codes."),
    strips(derived),
    chart(derived),
    field.results(found(derived), { quiet: state.playing }),
    field.task(derived.error < derived.moved, TASK),
  );
}

/** A strip for each row of the weight, and the mark between what is rounded and what is not. */
function strips({ columns, step, x, ...derived }) {
  const height = TOP + derived.weight.length * ROW;
  const moving = step > 0 && step < columns ? "; the error of the last moves those after it" : "";
  const label = `${step} of ${columns} columns ${step === 1 ? "is" : "are"} rounded${moving}.`;
  const picture = [
    step > 0 && draw.bar(x(step - 1), x(step), 0, height, draw.ink.real, draw.wash),
    derived.weight[0].map((_, i) => draw.text(x(i + 0.5), 14, `${i + 1}`)),
    derived.weight.map((_, r) => strip(r, { step, x, ...derived })),
    draw.line(x(step), 0, x(step), height, { stroke: draw.ink.code, "stroke-dasharray": "4 3" }),
  ];
  const named = { name: "step", label: "Columns rounded", value: step, domain: [0, columns] };
  const handle = draw.held({ ...named, text: `${step} of ${columns}`, at: x, y: height + 10 });
  return draw.stage({ height: height + 22, label, left: 44 }, picture, [handle]);
}

/** A row over the numbers that its codes mean: as it was, as it is, and how it moved last. */
function strip(r, { weight, qparams, gptq, nearest, before, after, moves, step, x }) {
  const { scale, quantMin, quantMax } = qparams[r];
  const marks = Array.from({ length: quantMax - quantMin + 1 }, (_, i) => scale * (quantMin + i));
  const [top, bottom] = [TOP + r * ROW, TOP + (r + 1) * ROW - FOOT];
  const y = draw.upwards(extremes([...gptq.flatMap((s) => s.before[r]), ...marks]), bottom, top);
  const ring = (i, w, look) => draw.dot(x(i + 0.5), y(w), "none", { "stroke-width": 2, ...look });
  const moved = (i) => {
    const [at, change] = [x(i + 0.5), Number(moves[r][i].toFixed(2))];
    const words = `${change > 0 ? "+" : ""}${signed(change, 2)}`;
    return [
      draw.line(at, y(before[r][i]), at, y(after[r][i]), { stroke: draw.ink.lost, ...BESIDE }),
      draw.byRoom(
        ...[words, words.replace("0.", ".")].map((w) => draw.text(at, bottom + 16, w, RED)),
      ),
    ];
  };
  const d = marks.map((mark) => `M0,${y(mark)}H100`).join("");
  return [
    draw.plot(top - 1, bottom - top + 2, draw.path(d, { stroke: draw.ink.code, opacity: 0.4 })),
    draw.text(0, (top + bottom) / 2 + 4, `row ${r + 1}`, { ...draw.end, dx: -8 }),
    after[r].map((value, i) => [
      ring(i, weight[r][i], ORIGINAL),
      i < step && ring(i, nearest[i].after[r][i], { stroke: draw.ink.code }),
      i < step
        ? draw.dot(x(i + 0.5), y(value), draw.ink.code)
        : ring(i, value, { stroke: "currentColor" }),
      step > 0 && i >= step - 1 && moved(i),
    ]),
  ];
}

function chart({ lost, step, x }) {
  const domain = [0, Math.max(...lost.flat(), 1e-6)];
  const y = draw.upwards(domain, LOW, HIGH);
  const label = `Output error: ${lost.map((all) => percent(all[step])).join(" by GPTQ, ")} to nearest.`;
  const looks = [{ stroke: draw.ink.code }, { stroke: draw.ink.real, "stroke-dasharray": "5 3" }];
  const ends = [[draw.ink.code], ["none", { stroke: draw.ink.real, "stroke-width": 2 }]];
  return draw.stage({ height: LOW + 24, label, left: 44 }, [
    draw.levels(niceTicks(domain, 3), y, (share) => percent(share, 0)),
    draw.text(0, 10, "output error; dashed: to nearest", draw.start),
    lost.map((all, i) => {
      const points = all.slice(0, step + 1).map((error, s) => [x(s), y(error)]);
      const line = draw.curve(points, { "stroke-width": 2, ...looks[i] });
      return [draw.plot(HIGH, LOW - HIGH, line), draw.dot(...points[step], ...ends[i])];
    }),
  ]);
}

function found({ step, columns, lost, gptq, nearest, error, moved, most }) {
  const [codes, plain] = [gptq, nearest].map((all) => all.slice(0, step).flatMap((s) => s.codes));
  const move = moved ? `${moved.toFixed(2)}, column ${most.indexOf(moved, step) + 1}` : "none";
  return [
    ["Rounded", `${step} of ${columns} columns`],
    [`Largest error${step > 0 ? ` of column ${step}` : ""}`, error?.toFixed(2) ?? "none"],
    ["Largest move by it", move],
    ["Output error by GPTQ", percent(lost[0][step])],
    ["to nearest", percent(lost[1][step])],
    ["Codes that differ", `${codes.filter((c, i) => c !== plain[i]).length} of ${codes.length}`],
  ];
}

/** What changes in the state. */
export function changed(state, name, value) {
  const led = played(state, { at: state.step, last: state.columns }, name, value);
  if (led) return { step: led.at, playing: led.playing };
  return name === "step" ? { step: value, playing: false } : { [name]: value };
}

const traits = ["weight", "inputs", "columns", "bits", "step"];
export default figure({ traits, view, changed, local: PLAYER, every: 900 });
