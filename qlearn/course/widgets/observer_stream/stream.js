// An observer watching a stream of batches, and what each range that it gives is worth.

import { watched } from "../shared/observers.js";
import { chooseQParams, extremes, roundTrip } from "../shared/quantmath.js";
import { memoized } from "../shared/values.js";

const CODES = { signed: false, bits: 8, symmetric: false };

/**
 * Return a function that tells of each of the first batches its extremes, the range that the
 * observer has after it, and what that is worth. The typical values follow the batches.
 */
export function watch(values, { count, batch_size: size, outlier, outliers, ...setting }) {
  const typical = values.slice(count * size);
  const batchAt = (place) => {
    const batch = values.slice(place * size, (place + 1) * size);
    if (outliers.includes(place)) batch[0] = outlier;
    return batch;
  };
  const ranges = watched(setting.observer, setting.averaging_constant, batchAt);
  const point = memoized((place, range) => {
    const qparams = chooseQParams(...range, CODES);
    const { sqnr, share } = roundTrip(typical, qparams);
    return { seen: extremes(batchAt(place)), range, scale: qparams.scale, sqnr, share };
  });
  return (seen) => ranges(seen).map((range, place) => point(place, range));
}
