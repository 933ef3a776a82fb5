// qlearn's observers in JavaScript: what range each remembers after a stream of batches.
// float32 as torch computes it; only sums over the bins, whose order in torch depends on the
// processor, are float64 here.

import { extremes } from "./quantmath.js";

/** Return an observer, {observe(batch), range()}; range() is [min, max]. */
export function makeObserver(name, averagingConstant) {
  const makers = {
    minmax: () => rangeObserver(widened),
    moving_average: () => rangeObserver(approached(averagingConstant)),
    histogram: () => histogramObserver(2048),
  };
  return makers[name]();
}

function rangeObserver(update) {
  let range = null;
  return {
    observe(batch) {
      const seen = extremes(batch);
      range = range === null ? seen : update(range, seen);
    },
    range: () => range,
  };
}

/** MinMaxObserver's new range. */
const widened = (range, seen) => [Math.min(range[0], seen[0]), Math.max(range[1], seen[1])];

/** MovingAverageMinMaxObserver's: a share of the way from the old end to the batch's. */
function approached(constant) {
  const share = Math.fround(constant);
  const end = (old, seen) =>
    Math.fround(old + Math.fround(share * Math.fround(seen - old)));
  return (range, seen) => [end(range[0], seen[0]), end(range[1], seen[1])];
}

const PARTS = 16; // of a bin that is moved to wider bins
const STEP = 1e-5; // of the search, as a share of all values
const CODES = 256; // that the search reckons with

/** HistogramObserver for eight-bit codes. */
function histogramObserver(bins) {
  let counts = null;
  let range = null;
  return {
    observe(batch) {
      const seen = extremes(batch);
      const wider = range === null ? seen : widened(range, seen);
      const added = countInto(batch, wider, bins);
      if (counts !== null) {
        const moved = movedCounts(counts, range, wider);
        for (let i = 0; i < bins; i++) added[i] += moved[i];
      }
      [counts, range] = [added, wider];
    },
    range() {
      const [low, high] = range;
      const [first, last] = bestBins(counts, range);
      const width = Math.fround(Math.fround(high - low) / bins);
      const edge = (bin) => Math.fround(low + Math.fround(width * bin));
      return [edge(first), edge(last + 1)];
    },
    counts: () => counts,
  };
}

/** torch.histc: how many of the values fall into each of equal bins. */
function countInto(values, [low, high], bins) {
  if (low === high) [low, high] = [Math.fround(low - 1), Math.fround(high + 1)];
  const width = Math.fround(high - low);
  const counts = new Float32Array(bins);
  for (const value of values) {
    const place = Math.fround(Math.fround(Math.fround(value - low) * bins) / width);
    counts[Math.min(Math.trunc(place), bins - 1)]++;
  }
  return counts;
}

/** The old counts in the bins of a wider range: each bin goes over in sixteen equal parts. */
function movedCounts(counts, range, wider) {
  const [low, high] = range;
  const bins = counts.length;
  if (low === wider[0] && high === wider[1]) return counts;
  if (low === high) {
    const total = counts.reduce((sum, count) => sum + count, 0);
    return countInto([low], wider, bins).map((one) => one * total);
  }
  const moved = new Float32Array(bins);
  const half = Math.fround(0.5 * Math.fround(Math.fround(high - low) / (bins * PARTS)));
  const edge = equalEdges(low, high, bins * PARTS);
  const newEdge = equalEdges(wider[0], wider[1], bins);
  let bin = 0;
  for (let part = 0; part < bins * PARTS; part++) {
    const middle = Math.fround(edge(part) + half);
    while (bin < bins - 1 && newEdge(bin + 1) <= middle) bin++;
    moved[bin] += counts[Math.floor(part / PARTS)] / PARTS;
  }
  return moved;
}

/** torch.linspace: the edges of n equal bins, reckoned from the nearer end. */
function equalEdges(low, high, n) {
  const step = Math.fround(Math.fround(high - low) / n);
  return (i) =>
    2 * i < n + 1 ? Math.fround(low + step * i) : Math.fround(high - step * (n - i));
}

/** The first and last bin to keep. */
export function bestBins(counts, range) {
  let best = [0, counts.length - 1];
  let least = Infinity;
  for (const kept of candidates(counts)) {
    const error = expectedError(counts, range, kept);
    if (error > least) break;
    [best, least] = [kept, error];
  }
  return best;
}

/** Ever narrower ranges of bins; the end that gives up more bins at once moves first. */
function* candidates(counts) {
  const cumulated = new Float32Array(counts.length);
  let total = 0;
  for (let i = 0; i < counts.length; i++) cumulated[i] = total += counts[i];
  total = Math.fround(total);
  let [first, last] = [0, counts.length - 1];
  let [below, above] = [0, 1];
  while (below < above) {
    let [low, high] = [first, last];
    const [belowSought, aboveSought] = [below + STEP, above - STEP];
    while (low < last && cumulated[low] < Math.fround(belowSought * total)) low++;
    while (high > first && cumulated[high] > Math.fround(aboveSought * total)) high--;
    const lowMoves = low - first > last - high;
    const kept = lowMoves ? [low, last] : [first, high];
    if (lowMoves) below = belowSought;
    else above = aboveSought;
    if (kept[0] === first && kept[1] === last) continue;
    [first, last] = kept;
    yield kept;
  }
}

/** The expected squared error if the codes cover the bins from first to last. */
function expectedError(counts, [low, high], [first, last]) {
  const f = Math.fround;
  const width = (high - low) / counts.length;
  const step = (width * (last - first + 1)) / CODES;
  if (step === 0) return 0;
  const [w, s, half] = [f(width), f(step), f(step / 2)];
  const cube = (t) => f(f(t * t) * t);
  const [halfCube, codeOf] = [cube(half), (x) => Math.min(Math.max(floorDivide(x, s), 0), CODES - 1)];
  const between = (a, b, density) => f(density * f(f(b - a) / 3)); // of cubes
  let error = 0;
  for (let bin = 0; bin < counts.length; bin++) {
    if (counts[bin] === 0) continue;
    const density = f(counts[bin] / w);
    const begin = f((bin - first) * w);
    const end = f(begin + w);
    const [a, b] = [codeOf(begin), codeOf(end)];
    const fromMiddle = f(begin - f(f(a + 0.5) * s));
    const toMiddle = f(end - f(f(b * s) + half));
    const whole = f((b - a - 1) * between(-halfCube, halfCube, density));
    const start = between(cube(fromMiddle), halfCube, density);
    error += f(f(start + whole) + between(-halfCube, cube(toMiddle), density));
  }
  return error;
}

/** torch.div(a, b, rounding_mode="floor") in float32, for b above 0. */
function floorDivide(a, b) {
  const rest = a % b;
  let quotient = Math.fround(Math.fround(a - rest) / b);
  if (rest < 0) quotient -= 1;
  const whole = Math.floor(quotient);
  return quotient - whole > 0.5 ? whole + 1 : whole;
}
