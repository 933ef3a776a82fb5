// An observer watching a stream of batches, and what each range that it gives is worth.

import { watched } from "../shared/observers.js";
import { roundTrip, rowsOf } from "../shared/quantmath.js";
import { memoized, once } from "../shared/values.js";

/** watch(values)(setting)(seen) tells of each batch seen; the typical values follow the batches. */
export const watch = once((values) =>
  memoized(({ count, batch_size: size, outlier, outliers, ...setting }) => {
    const typical = values.subarray(count * size);
    const batches = rowsOf(values.slice(0, count * size), size); // a copy, which outliers enter
    for (const place of outliers) batches[place][0] = outlier;
    return watched(setting.observer, setting.averaging_constant, batches, (qparams) => {
      const { sqnr, share } = roundTrip(typical, qparams);
      return { sqnr, share };
    });
  }),
);
