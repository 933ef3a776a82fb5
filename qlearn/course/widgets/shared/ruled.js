// Values over a ruler of codes: what they are, what is clipped of them, and what is left.

import * as draw from "./drawing.js";

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
