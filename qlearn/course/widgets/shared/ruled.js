// Values over a ruler of codes: what they are, what is clipped of them, and what is left.

import * as draw from "./drawing.js";
import { compact, signed, span } from "./print.js";

const ENDS = { quantMin: "Left end of the ruler", quantMax: "Right end of the ruler" };
export const RULER_ENDS = Object.keys(ENDS);

/** The place of a code on the number line, also between two codes. */
export const placeOf = (code, { scale, zeroPoint }) => scale * (code - zeroPoint);

/** Where clipping begins: half a step beyond the first and the last code. */
export const clipEnds = (qparams) =>
  [qparams.quantMin - 0.5, qparams.quantMax + 0.5].map((code) => placeOf(code, qparams));

/**
 * The histogram from `top` to `bottom` with what is clipped in red, and the ruler 16 pixels below
 * it; `codes`, one of each value, outline the histogram of what is left.
 */
export function ruled({ bars, domain, qparams, codes = [] }, [top, bottom]) {
  const x = draw.across(domain);
  const ends = clipEnds(qparams);
  return [
    draw.clippedAreas(domain, ends, x, [top, bottom]),
    draw.bars(bars, x, [top, bottom], (value) => value < ends[0] || value > ends[1]),
    comb({ bars, domain, qparams, codes }, x, [top, bottom]),
    draw.ruler(qparams, domain, [bottom + 4, bottom + 16]),
    draw.text(0, top + 13, "values", draw.start),
  ];
}

/** A column for each code, at the same density as the bars; none where they are too narrow. */
function comb({ bars, domain, qparams, codes }, x, [top, bottom]) {
  const { scale } = qparams;
  if (scale < 0.01 * (domain[1] - domain[0])) return null;
  const tallest = (Math.max(...bars.counts) * scale) / (bars.edges[1] - bars.edges[0]);
  const y = draw.upwards([0, tallest], bottom, top + 16);
  const columns = [...tally(codes)].map(([code, count]) => {
    const [left, right] = [-0.5, 0.5].map((half) => x(placeOf(code + half, qparams)));
    return `M${left},${bottom}V${y(count)}H${right}V${bottom}`;
  });
  return draw.plot(top, bottom - top, draw.path(columns.join(""), { stroke: draw.ink.code }));
}

/** How many values have each code. */
export function tally(codes) {
  const counts = new Map();
  for (const code of codes) counts.set(code, (counts.get(code) ?? 0) + 1);
  return counts;
}

/**
 * Handles on the ruler at the height `y`: its ends stretch it around 0 (where 0 is itself an end,
 * that one cannot), its middle shifts it; `parts` names those that are wanted.
 */
export const rulerHandles = ({ domain, qparams }, y, parts) =>
  parts
    .filter((name) => qparams[name] !== qparams.zeroPoint)
    .map((name) => (name in ENDS ? endHandle : middleHandle)(name, domain, qparams, y));

/** The scale that brings an end of the ruler to this place. */
export const scaleFor = (end, place, qparams) => place / (qparams[end] - qparams.zeroPoint);

function endHandle(name, domain, qparams, y) {
  const covered = span(RULER_ENDS.map((end) => placeOf(qparams[end], qparams)));
  const text = `${covered}, scale ${compact(qparams.scale)}`;
  const named = { name, label: ENDS[name], value: placeOf(qparams[name], qparams), text };
  return draw.held({
    ...named,
    domain,
    step: (domain[1] - domain[0]) / 200,
    at: draw.across(domain),
    y,
  });
}

/** Its value is the zero point, which falls when the ruler goes to the right. */
function middleHandle(name, domain, qparams, y) {
  const { scale, zeroPoint, quantMin, quantMax } = qparams;
  const middle = (quantMin + quantMax + 1) / 2;
  const lowest = Math.max(quantMin, Math.ceil(middle - domain[1] / scale));
  const highest = Math.min(quantMax, Math.floor(middle - domain[0] / scale));
  const at = (code) => draw.across(domain)(scale * (middle - code));
  const named = { name, label: "Middle of the ruler", value: zeroPoint };
  const text = `zero point ${signed(zeroPoint)}`;
  return draw.held({ ...named, text, domain: [lowest, highest], at, y });
}
