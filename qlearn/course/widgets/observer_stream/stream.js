// An observer watching a stream of batches, and what each range that it gives is worth.

import { observe } from "../shared/observers.js";
import { chooseQParams, dequantize, errors, extremes, quantize } from "../shared/quantmath.js";

/**
 * Return a function that tells of each of the first batches its extremes, the range that the
 * observer has after it, and what that is worth. The typical values follow the batches.
 */
export function watch(values, { count, batch_size: size, outlier, outliers, ...setting }) {
  const { observer, averaging_constant: constant } = setting;
  const typical = values.slice(count * size);
  const points = [];
  let memory = null;
  return (seen) => {
    for (let i = points.length; i < seen; i++) {
      const batch = values.slice(i * size, (i + 1) * size);
      if (outliers.includes(i)) batch[0] = outlier;
      memory = observe(observer, memory, batch, constant);
      points.push({ seen: extremes(batch), range: memory.range, ...worth(memory.range, typical) });
    }
    return points.slice(0, seen);
  };
}

/** The scale that follows from a range, and how well the typical values fare with it. */
function worth(range, typical) {
  const qparams = chooseQParams(...range, { signed: false, bits: 8, symmetric: false });
  const { codes, clipped } = quantize(typical, qparams);
  const { sqnr } = errors(typical, dequantize(codes, qparams));
  return { scale: qparams.scale, sqnr, clippedShare: clipped / typical.length };
}
