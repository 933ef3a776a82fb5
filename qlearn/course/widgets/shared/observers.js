// qlearn's observers: what each remembers of a stream of batches, and which range it would give.
// float32 as torch computes it, in every bit; only sums over the bins, whose order in torch
// depends on the processor, are float64.

import { chooseQParams, clamp, extremes, fround } from "./quantmath.js";

const BINS = 2048;
const PARTS = 16; // of a bin that is moved to wider bins
const STEP = 1e-5; // of the search, as a share of all values
const CODES = 256; // that the search reckons with
const RULE = { signed: false, bits: 8, symmetric: false }; // of the qparams

/**
 * Return what an observer remembers after one more batch: {range}, the range that it gives, and
 * what it needs for the next batch. `memory` is what it remembered before, null at first.
 */
function observe(name, memory, batch, seen, averagingConstant) {
  if (name === "histogram") return countBatch(memory, batch, widened(memory?.reach, seen));
  if (memory === null) return { range: seen };
  if (name === "minmax") return { range: widened(memory.range, seen) };
  return { range: approached(memory.range, seen, fround(averagingConstant)) };
}

/**
 * An observer called with batch after batch: return a function that gives for the first so many
 * the extremes, as `seen`, and the range and the qparams after it; `judged` may add to each, once.
 */
export function watched(name, averagingConstant, batches, judged = () => ({})) {
  const points = [];
  let memory = null;
  return (count) => {
    for (const batch of batches.slice(points.length, count)) {
      const seen = extremes(batch);
      memory = observe(name, memory, batch, seen, averagingConstant);
      const qparams = chooseQParams(...memory.range, RULE);
      points.push({ place: points.length, seen, range: memory.range, qparams, ...judged(qparams) });
    }
    return points.slice(0, count);
  };
}

/** MinMaxObserver's new range. */
const widened = (range, seen) =>
  range ? [Math.min(range[0], seen[0]), Math.max(range[1], seen[1])] : seen;

/** MovingAverageMinMaxObserver's: each end goes a share of the way to the batch's. */
const approached = (range, seen, share) =>
  range.map((end, i) => fround(end + fround(share * fround(seen[i] - end))));

/** HistogramObserver's: the counts reach from the smallest to the largest value so far. */
function countBatch(memory, batch, reach) {
  const counts = countInto(batch, reach);
  if (memory) for (const [bin, count] of movedCounts(memory, reach).entries()) counts[bin] += count;
  const width = fround(fround(reach[1] - reach[0]) / BINS);
  const [first, last] = bestBins(counts, reach);
  const range = [first, last + 1].map((bin) => fround(reach[0] + fround(width * bin)));
  return { range, reach, counts };
}

/** How many of the values fall into each of equal bins, as torch.histc counts them. */
function countInto(values, [low, high]) {
  if (low === high) return countInto(values, [fround(low - 1), fround(high + 1)]);
  const width = fround(high - low);
  const counts = new Float32Array(BINS);
  for (const value of values) {
    const place = fround(fround(fround(value - low) * BINS) / width);
    counts[Math.min(Math.trunc(place), BINS - 1)]++;
  }
  return counts;
}

/** The old counts in the bins of a wider range: each bin goes over in sixteen equal parts. */
function movedCounts({ reach: [low, high], counts }, wider) {
  if (low === wider[0] && high === wider[1]) return counts;
  if (low === high) {
    const total = counts.reduce((sum, count) => sum + count, 0);
    return countInto([low], wider).map((one) => one * total);
  }
  const moved = new Float32Array(BINS);
  const half = fround(0.5 * fround(fround(high - low) / (BINS * PARTS)));
  const edge = equalEdges(low, high, BINS * PARTS);
  const newEdge = equalEdges(...wider, BINS);
  let bin = 0;
  for (let part = 0; part < BINS * PARTS; part++) {
    const middle = fround(edge(part) + half);
    while (bin < BINS - 1 && newEdge(bin + 1) <= middle) bin++;
    moved[bin] += counts[Math.floor(part / PARTS)] / PARTS;
  }
  return moved;
}

/** The edges of n equal bins, reckoned from the nearer end, as torch.linspace does. */
function equalEdges(low, high, n) {
  const step = fround(fround(high - low) / n);
  return (i) => (2 * i < n + 1 ? fround(low + step * i) : fround(high - step * (n - i)));
}

/** The first and the last bin to keep: the search stops when the error rises. */
function bestBins(counts, reach) {
  const width = (reach[1] - reach[0]) / BINS;
  let [best, least] = [[0, BINS - 1], Infinity];
  for (const kept of candidates(counts)) {
    const error = expectedError(counts, width, kept);
    if (error > least) break;
    [best, least] = [kept, error];
  }
  return best;
}

/** Ever narrower ranges of bins; the end that gives up more bins at once moves first. */
function* candidates(counts) {
  let total = 0;
  const cumulated = counts.map((count) => (total += count));
  total = fround(total);
  let [first, last] = [0, BINS - 1];
  let [below, above] = [0, 1];
  while (below < above) {
    let [low, high] = [first, last];
    const [nextBelow, nextAbove] = [below + STEP, above - STEP];
    while (low < last && cumulated[low] < fround(nextBelow * total)) low++;
    while (high > first && cumulated[high] > fround(nextAbove * total)) high--;
    const lowMoves = low - first > last - high;
    if (lowMoves) below = nextBelow;
    else above = nextAbove;
    const moved = lowMoves ? low !== first : high !== last;
    [first, last] = lowMoves ? [low, last] : [first, high];
    if (moved) yield [first, last];
  }
}

/** The expected squared error if the codes cover the bins from first to last. */
function expectedError(counts, width, [first, last]) {
  const step = (width * (last - first + 1)) / CODES;
  if (step === 0) return 0;
  const half = fround(step / 2);
  const codeOf = (x) => clamp(floorDivide(x, fround(step)), 0, CODES - 1);
  let error = 0;
  for (let bin = 0; bin < BINS; bin++) {
    if (counts[bin] === 0) continue;
    const density = fround(counts[bin] / fround(width));
    const begin = fround((bin - first) * fround(width));
    const end = fround(begin + fround(width));
    const [a, b] = [codeOf(begin), codeOf(end)];
    const fromMiddle = fround(begin - fround(fround(a + 0.5) * fround(step)));
    const toMiddle = fround(end - fround(fround(b * fround(step)) + half));
    const whole = fround((b - a - 1) * spread(-half, half, density));
    const parts = fround(spread(fromMiddle, half, density) + whole);
    error += fround(parts + spread(-half, toMiddle, density));
  }
  return error;
}

/** density · ∫ t² dt from a to b */
const spread = (a, b, density) => fround(density * fround(fround(cube(b) - cube(a)) / 3));
const cube = (t) => fround(fround(t * t) * t);

/** torch.div(a, b, rounding_mode="floor") in float32, for b above 0. */
function floorDivide(a, b) {
  const rest = a % b;
  let quotient = fround(fround(a - rest) / b);
  if (rest < 0) quotient -= 1;
  const whole = Math.floor(quotient);
  return quotient - whole > 0.5 ? whole + 1 : whole;
}
