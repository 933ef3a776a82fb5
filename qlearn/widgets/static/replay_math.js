// A recorded training: the codes of each frame, and how near the weights are to changing them.

import { clamp, rint } from "./quantmath.js";

export const NEAR = 0.1; // steps

/** Read consecutive frames of so many float32 from a DataView of little-endian bytes. */
export function readFrames(view, weights) {
  const frames = [];
  for (let at = 0; at < view.byteLength; at += 4 * weights) {
    const start = view.byteOffset + at;
    frames.push(new Float32Array(view.buffer.slice(start, start + 4 * weights)));
  }
  return frames;
}

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
