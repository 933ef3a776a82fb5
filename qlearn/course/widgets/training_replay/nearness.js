// A recorded training: the codes of each frame, and how near the weights are to changing them.

import { clamp, fround, rint } from "../shared/quantmath.js";

const NEAR = 0.1; // steps

/** Return how many codes differ from the frame before, and the shares near codes and boundaries. */
export function frameFacts(now, before, { quantMin, quantMax }) {
  const codeOf = (position) => clamp(rint(position), quantMin, quantMax);
  const edgeOf = (position) => clamp(Math.floor(position), quantMin, quantMax - 1) + 0.5;
  const isNear = (position, place) => Math.abs(fround(position - place)) < fround(NEAR);
  const share = (placeOf) =>
    now.filter((position) => isNear(position, placeOf(position))).length / now.length;
  const changed = now.filter((position, i) => codeOf(position) !== codeOf(before[i])).length;
  return { changed, nearBoundary: share(edgeOf), nearCode: share(codeOf) };
}
