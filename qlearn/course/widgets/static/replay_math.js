// A recorded training: the codes of each frame, and how near the weights are to changing them.

import { clamp, rint } from "./quantmath.js";

export const NEAR = 0.1; // steps

/** Return how many codes differ from the frame before, and the shares near codes and boundaries. */
export function frameFacts(frames, frame, { quantMin, quantMax }) {
  const codeOf = (position) => clamp(rint(position), quantMin, quantMax);
  const before = frames[Math.max(frame - 1, 0)];
  const now = frames[frame];
  let [changed, nearBoundary, nearCode] = [0, 0, 0];
  now.forEach((position, i) => {
    if (codeOf(position) !== codeOf(before[i])) changed++;
    const edge = clamp(Math.floor(position), quantMin, quantMax - 1) + 0.5;
    if (isNear(position, edge)) nearBoundary++;
    if (isNear(position, codeOf(position))) nearCode++;
  });
  return { changed, nearBoundary: nearBoundary / now.length, nearCode: nearCode / now.length };
}

const isNear = (position, place) => Math.abs(Math.fround(position - place)) < Math.fround(NEAR);
