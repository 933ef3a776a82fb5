// What all pictures are drawn with. Across, a place is in percent of the picture's width, so that
// it is drawn before there is a page and never measured; down, it is in pixels. What paths draw
// stands in a `plot`, which is stretched to the width; its lines keep their thickness.

import { html } from "./html.js";
import { marksOf } from "./marks.js";
import { compact } from "./print.js";
import { clamp, extremes } from "./quantmath.js";
import { niceTicks } from "./values.js";

/** Real numbers grey, codes blue, what is lost red; figure.css has the colours. */
export const ink = { real: "var(--qb-real)", code: "var(--qb-code)", lost: "var(--qb-lost)" };
export const wash = { "fill-opacity": 0.16, stroke: "none" }; // of an area behind other things

/** From a value to its place in percent, held inside the picture. */
export const across = ([from, to]) => {
  const place = (value) => (100 * (value - from)) / (to - from);
  return (value) => Number(clamp(place(value), 0, 100).toFixed(2));
};

/** From a value to pixels, from the `bottom` up to the `top`; not held. */
export const upwards =
  ([from, to], bottom, top) =>
  (value) =>
    Number((bottom - ((value - from) / (to - from)) * (bottom - top)).toFixed(1));

/**
 * A picture and what is `held` on it: `label` is the text that stands for it, `left` and `right`
 * the pixels beside it that axes and names may use; with a `width` it is never wider.
 */
export const stage = ({ height, label, left = 14, right = 14, width }, picture, handles = []) => {
  const limit = width ? `; max-width: ${width}px` : "";
  return html`<div class="qb-stage" style=${`margin-left: ${left}px; margin-right: ${right}px${limit}`}>
    <svg role="img" aria-label=${label} height=${height}>${picture}
      ${handles.map((each) => each?.mark)}</svg>${handles.map((each) => each?.input)}</div>`;
};

/** Room for paths, from `top` on: 100 wide and `height` high; it cuts off what leaves it. */
export const plot = (top, height, ...paths) =>
  html`<svg y=${top} width="100%" height=${height} viewBox=${`0 ${top} 100 ${height}`}
    preserveAspectRatio="none">${paths}</svg>`;

/** A path in a plot: `d` in its units; outlined unless the rest fills it. */
export const path = (d, rest) =>
  html`<path fill="none" vector-effect="non-scaling-stroke" d=${d} ...${rest} />`;

/** Upright strokes, each [x, from, to], as one path. */
export const strokes = (all, rest) =>
  path(all.map(([x, from, to]) => `M${x},${from}V${to}`).join(""), rest);

/** A line through points, and an area around them. */
export const curve = (points, rest) => path(`M${points.join("L")}`, rest);
export const area = (points, fill, rest = wash) =>
  points.length > 0 && path(`M${points.join("L")}Z`, { fill, ...rest });

/** A straight line between two places. */
export const line = (x1, y1, x2, y2, rest = axisInk) =>
  html`<line x1=${`${x1}%`} y1=${y1} x2=${`${x2}%`} y2=${y2} ...${rest} />`;
const axisInk = { stroke: ink.real, "stroke-opacity": 0.6 };

/** A bar from one place to another, in either order, and from top to bottom. */
export const bar = (x1, x2, top, bottom, fill, rest) =>
  html`<rect x=${`${Math.min(x1, x2)}%`} width=${`${Number(Math.abs(x2 - x1).toFixed(2))}%`}
    y=${top} height=${bottom - top} fill=${fill} ...${rest} />`;

/** How a bar looks beside those that are filled: an outline, so that colours are not needed. */
export const hollow = ["none", { stroke: ink.real, "stroke-width": 1.5 }];

export const dot = (x, y, fill, rest) =>
  html`<circle cx=${`${x}%`} cy=${y} r="5" fill=${fill} ...${rest} />`;

/** A part of the picture, as wide as that, of whose points `changed` is told; of a `tap` alone. */
export const target = (name, top, height, kind = "area") =>
  html`<rect ...${{ [`data-${kind}`]: name }} width="100%" y=${top} height=${height}
    fill="transparent" />`;

/** Words whose middle is at the place; `anchor` "start" or "end" puts another part there. */
export const text = (x, y, words, rest) =>
  html`<text x=${`${x}%`} y=${y} text-anchor="middle" ...${rest}>${words}</text>`;
export const start = { "text-anchor": "start" };
export const end = { "text-anchor": "end" };

/** The same twice: once for a wide widget and once for a narrow one, of which one is shown. */
export const byRoom = (wide, narrow) =>
  html`<g class="qb-roomy">${wide}</g><g class="qb-tight">${narrow}</g>`;

/**
 * The horizontal axis at the height `y`, with round numbers of the domain or these `ticks`. A `name`
 * of two parts, in a list, takes two lines in a narrow widget, down to 47 pixels below the axis.
 */
export function axis(domain, y, { ticks, print = compact, name } = {}) {
  const x = across(domain);
  const marks = (values) =>
    values.map((value) => [
      line(x(value), y, x(value), y + 5),
      text(x(value), y + 18, print(value)),
    ]);
  return html`${line(0, y, 100, y)}
    ${ticks ? marks(ticks) : byRoom(marks(niceTicks(domain, 9)), marks(niceTicks(domain, 4)))}
    ${name && named([name].flat(), y)}`;
}

/** Nothing scrolls to words that leave the picture on its left. */
function named(parts, y) {
  const whole = text(100, y + 34, parts.join(" "), end);
  if (parts.length === 1) return whole;
  return byRoom(
    whole,
    parts.map((part, i) => text(100, y + 32 + 13 * i, part, end)),
  );
}

/** Lines at these values across the picture, each named to the left of it; a grip needs a `gap`. */
export const levels = (values, y, print = compact, gap = 6) =>
  values.map((value) => [
    line(0, y(value), 100, y(value)),
    text(0, y(value) + 4, print(value), { ...end, dx: -gap }),
  ]);

/** A histogram between two heights; `isLost` reddens bars. A bar of `tallest` is 16 pixels lower. */
export function bars({ counts, edges }, x, [top, bottom], isLost = () => false, tallest = 0) {
  const most = Math.max(...counts, tallest);
  const column = (count, i) => {
    const height = Math.max((count / most) * (bottom - top - 16), 2); // one value is visible too
    return `M${x(edges[i])},${bottom}v${-height.toFixed(1)}H${x(edges[i + 1])}V${bottom}Z`;
  };
  const paths = { kept: "", lost: "" };
  counts.forEach((count, i) => {
    if (count > 0)
      paths[isLost((edges[i] + edges[i + 1]) / 2) ? "lost" : "kept"] += column(count, i);
  });
  return plot(
    top,
    bottom - top,
    path(paths.kept, { fill: ink.real }),
    path(paths.lost, { fill: ink.lost }),
  );
}

/** The areas of what is clipped: all of the domain outside of low … high. */
export const clippedAreas = ([from, to], [low, high], x, [top, bottom]) => [
  from < low && bar(0, x(low), top, bottom, ink.lost, wash),
  high < to && bar(x(high), 100, top, bottom, ink.lost, wash),
];

/** The ruler: a stroke for each mark between two heights; a band where even marks are too dense. */
export function ruler(qparams, domain, [top, bottom]) {
  const x = across(domain);
  const places = marksOf(qparams)
    .filter(({ value }) => value >= domain[0] && value <= domain[1])
    .map(({ value }) => x(value));
  if (places.length === 0) return null;
  const marks = strokes(
    places.map((place) => [place, top, bottom]),
    { stroke: ink.code },
  );
  const band = bar(places[0], places.at(-1), top, bottom, ink.code);
  const percent = (100 * qparams.scale) / (domain[1] - domain[0]); // of the width, from mark to mark
  const wide = percent < 0.4 && !qparams.levels ? band : plot(top, bottom - top, marks);
  return percent < 0.4 || percent >= 0.8 || qparams.levels ? wide : byRoom(wide, band);
}

/** The mark that shows a handle's thumb; on an upright axis it lies. */
const grip = (x, y, { upright = false } = {}) =>
  html`<rect x=${`${x}%`} y=${y - (upright ? 5 : 11)} width=${upright ? 22 : 10}
    height=${upright ? 10 : 22} rx="3" transform=${`translate(${upright ? -11 : -5})`}
    fill=${ink.code} />`;

/** The mark of one that lies beyond the picture: it points there. */
const pointer = (x, y) =>
  html`<svg x=${`${x}%`} y=${y} overflow="visible"><path
    d=${x > 50 ? "M-6,-11L6,0L-6,11Z" : "M6,-11L-6,0L6,11Z"} fill=${ink.code} /></svg>`;

/**
 * What a reader can drag: its mark on the picture and its input, for a `stage`. `at` brings each
 * value of the domain to its place. It lies at the height `y`, or stands on the left edge. A value
 * beyond the domain is the input's own end, so that a key moves on from there. It may have a `mark`
 * of its own, such as a dot.
 */
export function held({ at, y, mark: own, ...input }) {
  const value = at(input.value);
  if (y !== undefined) {
    const domain = extremes([...input.domain, input.value]);
    const mark = isBeyond(input) ? pointer(value, y) : (own ?? grip(value, y));
    return { mark, input: handle({ ...input, domain, y, within: domain.map(at) }) };
  }
  const ends = input.domain.map(at);
  const upright = ends.toSorted((a, b) => a - b);
  const standing = handle({ ...input, upright, down: ends[0] < ends[1] });
  return { mark: own ?? grip(0, value, { upright: true }), input: standing };
}

/** Whether a value lies outside of the domain, by more than rounding can do. */
function isBeyond({ value, domain: [low, high] }) {
  const hair = (high - low) / 1000;
  return value < low - hair || value > high + hair;
}

/**
 * A native range input whose thumb lies on the picture at the height `y`: the browser drags, and
 * brings the keys. `upright: [top, bottom]` stands it on the picture's left edge instead, and
 * `down` lets its values grow downwards. One that lies is as wide as the picture, or is
 * `within` two places, that of its least value first.
 */
function handle({ name, label, value, text = compact(value), step = 1, ...place }) {
  const [min, max] = place.domain;
  const style = place.upright ? standing(place) : lying(place);
  return html`<input type="range" class=${place.upright && "qb-upright"} name=${name} min=${min}
    max=${max} step=${step} value=${value} aria-label=${label} aria-valuetext=${text}
    aria-orientation=${place.upright && "vertical"} style=${style} />`;
}

const standing = ({ upright: [top, bottom], down }) =>
  `top: ${top - 13}px; height: ${bottom - top + 26}px${down ? "; direction: ltr" : ""}`;

const lying = ({ y, within: [least, most] = [0, 100] }) => {
  const side = `left: calc(${Math.min(least, most)}% - 13px)`;
  const size = `width: calc(${Math.abs(most - least).toFixed(2)}% + 26px)`;
  return `top: ${y}px; ${side}; ${size}${most < least ? "; direction: rtl" : ""}`;
};
