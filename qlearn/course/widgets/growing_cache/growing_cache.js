// A growing cache: keys and values of one head, token by token, in few bits.

import * as draw from "../shared/drawing.js";
import * as field from "../shared/fields.js";
import { figure } from "../shared/figure.js";
import { matrices, matrix, outlines } from "../shared/matrix.js";
import { PLAYER, played, player } from "../shared/player.js";
import { grouped, percent } from "../shared/print.js";
import { clamp, largestSize } from "../shared/quantmath.js";
import { boxes, waiting } from "../shared/token_groups.js";
import { course } from "./attention.js";

const { ink } = draw;
const [TOP, BOTTOM] = [26, 110]; // of the chart, in pixels
const BITS = [8, 4, 3, 2].map((bits) => [bits, `${bits} bits`]);
const AXES = { channel: "each channel", token: "each token" };

export function view(state) {
  const { halves, steps } = course(state);
  const here = steps[state.tokens - 1];
  return field.panel(
    { name: "growing-cache", label: "A growing cache" },
    controls(state),
    player(state, { at: state.tokens, first: 1, last: steps.length }),
    field.hint("Each frame holds one scale; grey tokens wait. Let more come, or drag the mark."),
    matrices(map("Keys", halves[0], state), map("Values", halves[1], state)),
    chart(steps, state.tokens),
    field.results(found(here, halves, state), { quiet: state.playing }),
    field.task(isDone(state, here), TASK),
  );
}

const TASK =
  "with one choice, bring the error below 10 % in 1,024 bytes or less, at 24 tokens, channel 8 loud.";
const isDone = ({ tokens, channel, loud }, { now, error }) =>
  error < 0.1 && now <= 1024 && tokens === 24 && channel === 8 && loud;

function controls({ bits, key_axis: keys, value_axis: values, channels, channel, loud }) {
  const axis = (name, label, value) => field.select({ name, label, value, options: AXES });
  return field.fields(
    field.select({ name: "bits", label: "Codes", value: bits, options: BITS }),
    axis("key_axis", "Keys: a scale for", keys),
    axis("value_axis", "Values: a scale for", values),
    field.slider({ name: "channel", label: "Channel", value: channel, max: channels - 1 }),
    field.checkbox({ name: "loud", label: "Its keys 8 times as large", value: loud }),
  );
}

/** The numbers as they are held, in boxes that share a scale; a wash lies over those that wait. */
function map(title, { form, rows, held }, state) {
  const { tokens, channels, channel, loud } = state;
  const inFloat = waiting(tokens, form);
  const hasChannel = ([, first, , width]) => channel >= first && channel < first + width;
  const box = boxes(tokens, form).findLast(hasChannel);
  const reach = largestSize(rows.flatMap((row) => row.filter((_, i) => !loud || i !== channel)));
  const coming = new Array((rows.length - tokens) * channels).fill(0);
  const over = [
    outlines(boxes(tokens, form), { stroke: ink.real, "stroke-opacity": 0.6 }),
    outlines([[tokens - inFloat, 0, inFloat, channels]], { fill: ink.real, "fill-opacity": 0.25 }),
    box && outlines([box], { "stroke-width": 2.5 }),
  ];
  const of = `${tokens} token${tokens > 1 ? "s" : ""} by ${channels} channels${inFloat ? `, the newest ${inFloat} in float` : ""}`;
  const look = { of, count: tokens * channels, size: [rows.length, channels], reach };
  return matrix(title, [...held(tokens).flat(), ...coming], { ...look, name: "place", over });
}

/** The bytes over the tokens, and where the reader stands. */
function chart(steps, tokens) {
  const [last, here] = [steps.length, steps[tokens - 1]];
  const [x, y] = [draw.across([0, last]), draw.upwards([0, steps.at(-1).float], BOTTOM, TOP)];
  const points = (name) => steps.map((step, i) => [x(i + 1), y(step[name])]);
  const line = (name, stroke, look) => [
    draw.plot(0, BOTTOM, draw.curve(points(name), { stroke, "stroke-width": 2, ...look })),
    draw.dot(x(tokens), y(here[name]), stroke),
  ];
  const said = `${grouped(here.float)} in float16 (dashed), ${grouped(here.now)} now`;
  const lines = [line("float", ink.real, { "stroke-dasharray": "5 3" }), line("now", ink.code)];
  const named = { name: "tokens", label: "Tokens", value: tokens, text: `${tokens}` };
  const handle = draw.held({ ...named, domain: [1, last], at: x, y: BOTTOM });
  const short = `bytes: ${grouped(here.now)}; float16 (dashed) ${grouped(here.float)}`;
  const picture = [draw.text(0, 13, short, draw.start), lines];
  const axis = draw.axis([0, last], BOTTOM, { name: "tokens" });
  const size = { height: BOTTOM + 40, label: `Bytes of the cache: ${said}.` };
  return draw.stage(size, [picture, axis], [handle]);
}

function found({ now, float, moved, error }, halves, { tokens, channel, loud }) {
  const waits = halves.map(({ form }) => waiting(tokens, form));
  return [
    ["Bytes", `${grouped(now)} of ${grouped(float)}`],
    ["Tokens in float", `${waits[0]} of the keys, ${waits[1]} of the values`],
    ["Attention that moved", percent(moved)],
    ["Error of its output", percent(error) + (loud ? `, channel ${channel} loud` : "")],
  ];
}

/** What changes with an input, the button or the clock, or a point in a matrix. */
export function changed(state, name, value) {
  const { tokens, channels, numbers } = state;
  const places = { at: tokens, first: 1, last: numbers.byteLength / 12 / channels };
  const led = played(state, places, name, value);
  if (led) return { tokens: led.at, playing: led.playing };
  if (name === "place") return { channel: clamp(Math.floor(value[0] * channels), 0, channels - 1) };
  return name === "tokens" ? { tokens: value, playing: false } : { [name]: value };
}

const own = "numbers channels tokens group_size bits key_axis value_axis channel loud";
export default figure({ traits: own.split(" "), view, changed, local: PLAYER, every: 300 });
