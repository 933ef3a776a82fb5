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

/** Return [weight, fake-quantized], after a step unless it `begins` there. */
export function placed([before], settings, begins) {
  const weight = begins ? before : descend(before, settings);
  return [weight, fakeQuantizeOne(weight, settings.qparams).restored];
}
