// One weight under fake quantization: its code, its gradient, and a step of descent.

import { clamp, rint } from "./quantmath.js";

const single = Math.fround;

/** Return code, fake-quantized value and gradient of a float32 weight (qlearn.fake_quantize). */
export function fakeQuantizeOne(x, { scale, zeroPoint, quantMin, quantMax }) {
  const step = single(scale);
  const wanted = rint(single(single(x) * single(1 / step))) + zeroPoint;
  const code = clamp(wanted, quantMin, quantMax);
  const gradient = Number(code === wanted); // 1 where nothing was clipped
  return { code, restored: single(step * (code - zeroPoint)), gradient };
}

/** Return the weight after a step of descent on the loss ½ (x̂ − target)², in float32. */
export function descend(x, target, rate, qparams) {
  const { restored, gradient } = fakeQuantizeOne(x, qparams);
  const slope = single(single(restored - single(target)) * gradient);
  return single(single(x) - single(single(rate) * slope));
}
