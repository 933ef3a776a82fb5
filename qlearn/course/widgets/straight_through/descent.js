// One weight under fake quantization: its code, its gradient, and descent through the rounding.

import { fround, roundTrip } from "../shared/quantmath.js";

/** Return code, fake-quantized value and gradient of a weight (qlearn.fake_quantize). */
export function fakeQuantizeOne(weight, qparams) {
  const { codes, restored, share } = roundTrip([fround(weight)], qparams);
  return { code: codes[0], restored: restored[0], gradient: 1 - share };
}

/** Return the weight after a step of descent on the loss ½ (ŵ − target)², in float32. */
export function descend(weight, { target, rate, qparams }) {
  const { restored, gradient } = fakeQuantizeOne(weight, qparams);
  const slope = fround(fround(restored - fround(target)) * gradient);
  return fround(fround(weight) - fround(fround(rate) * slope));
}

/** Return a path of [weight, fake-quantized], gone back or on to so many steps. */
export function walked({ path, ...settings }, steps) {
  const trail = path.slice(0, steps + 1);
  while (trail.length <= steps) {
    const weight = descend(trail.at(-1)[0], settings);
    trail.push([weight, fakeQuantizeOne(weight, settings.qparams).restored]);
  }
  return { trail, weight: trail.at(-1)[0] };
}
