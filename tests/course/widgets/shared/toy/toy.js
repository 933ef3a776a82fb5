// A figure that uses every helper once.

import {
  across,
  axis,
  bars,
  clippedAreas,
  curve,
  dot,
  held,
  ink,
  levels,
  plot,
  ruler,
  stage,
  upwards,
} from "../../../../../qlearn/course/widgets/shared/drawing.js";
import {
  bareText,
  button,
  checkbox,
  columns,
  fields,
  hint,
  number,
  panel,
  results,
  select,
  slider,
  table,
} from "../../../../../qlearn/course/widgets/shared/fields.js";
import { figure } from "../../../../../qlearn/course/widgets/shared/figure.js";
import { compact } from "../../../../../qlearn/course/widgets/shared/print.js";
import { float32Values, histogram } from "../../../../../qlearn/course/widgets/shared/values.js";

const DOMAIN = [-4, 4];

export function view(state) {
  const { scale, bits, note } = state;
  const ends = [-scale * 2 ** (bits - 1), scale * (2 ** (bits - 1) - 1)];
  return panel(
    { name: "toy", label: "Toy" },
    controls(state),
    hint("Drag the right end."),
    stage(
      { height: 290, label: "Histogram under a ruler of codes", left: 30 },
      [...drawn(state, ends), ...parabola()],
      [end(ends[1])],
    ),
    columns(
      table(["Name", "Text"], [["Note", note]]),
      bareText({ name: "note", aria: "Note", value: note, invalid: note === "" }),
    ),
    told(state),
  );
}

const controls = ({ scale, bits, scheme, clipped, playing }) =>
  fields(
    slider({ name: "bits", label: "Bits", value: bits, min: 2, max: 8 }),
    select({
      name: "scheme",
      label: "Scheme",
      value: scheme,
      options: [
        ["symmetric", "symmetric"],
        ["affine", "affine"],
      ],
    }),
    number({ name: "scale", label: "Scale", value: scale, min: 0.01, max: 2, step: 0.01 }),
    checkbox({ name: "clipped", label: "Show what is clipped", value: clipped }),
    button({ name: "play", text: playing ? "Stop" : "Play" }),
  );

/** The histogram of the values, and the ruler of the codes below it. */
function drawn({ values, scale, bits, clipped }, ends) {
  const x = across(DOMAIN);
  const half = 2 ** (bits - 1);
  const qparams = { scale, zeroPoint: 0, quantMin: -half, quantMax: half - 1 };
  const counted = histogram(float32Values(values), DOMAIN, 40);
  return [
    clipped && clippedAreas(DOMAIN, ends, x, [0, 130]),
    bars(counted, x, [0, 100], (value) => value < ends[0] || value > ends[1]),
    ruler(qparams, DOMAIN, [104, 124]),
    axis(DOMAIN, 130, { name: "value" }),
  ];
}

/** A curve over levels, with a dot where it is lowest. */
function parabola() {
  const [x, y] = [across(DOMAIN), upwards([0, 20], 270, 200)];
  const points = [-4, 0, 4].map((v) => [x(v), y(v * v)]);
  return [
    levels([0, 10, 20], y),
    plot(200, 70, curve(points, { stroke: ink.lost })),
    dot(x(0), y(0), ink.lost),
  ];
}

const end = (value) =>
  held({
    name: "end",
    label: "Right end",
    text: compact(value),
    value,
    domain: DOMAIN,
    step: 0.05,
    at: across(DOMAIN),
    y: 114,
  });

const told = ({ scale, bits, scheme, ticks, playing, wrong }) =>
  results(
    [
      ["Scale", compact(scale)],
      ["Bits", `${bits}`],
      ["Scheme", scheme],
      ["Ticks", `${ticks}`],
    ],
    { quiet: playing, wrong },
  );

export function changed({ bits, ticks, playing }, name, value) {
  if (name === "end") return { scale: Math.max(value / (2 ** (bits - 1) - 1), 0.01) };
  if (name === "play") return { playing: !playing };
  if (name === "tick") return { ticks: ticks + 1, playing: ticks < 2 };
  return { [name]: value };
}

const traits = ["values", "scale", "bits", "scheme", "clipped"];
export default figure({
  traits,
  view,
  changed,
  local: { ticks: 0, playing: false, note: "1", wrong: null },
  every: 20,
});
