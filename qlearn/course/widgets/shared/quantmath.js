// The arithmetic of qlearn in JavaScript, code for code, for the widgets that compute with codes.
// Numbers here are float64, so wherever a kernel works in float32, fround rounds.

export const fround = Math.fround;

/** The smallest scale an observer returns: float32's epsilon, 2^-23. */
const OBSERVER_EPS = 2 ** -23;

/** Round half to even, as the kernels do; Math.round would round halves up. */
export function rint(x) {
  const shift = 1.5 * 2 ** 52; // Adding it leaves no room for a fraction.
  return Math.abs(x) < 2 ** 51 ? x + shift - shift : x;
}

/** Return {quantMin, quantMax} for `bits` bits, as qlearn.quant_range does. */
export function quantRange(signed, bits) {
  const codes = 2 ** bits;
  return signed
    ? { quantMin: -codes / 2, quantMax: codes / 2 - 1 }
    : { quantMin: 0, quantMax: codes - 1 };
}

/** Return what torch's observers compute for values in min … max (qlearn.choose_qparams). */
export function chooseQParams(min, max, { signed, bits, symmetric }) {
  const { quantMin, quantMax } = quantRange(signed, bits);
  const low = Math.min(fround(min), 0);
  const high = Math.max(fround(max), 0);
  if (symmetric) {
    const scale = fround(Math.max(-low, high) / ((quantMax - quantMin) / 2));
    const zeroPoint = middleCode(signed, bits);
    return { scale: Math.max(scale, OBSERVER_EPS), zeroPoint, quantMin, quantMax };
  }
  const width = fround(high - low);
  const scale = Math.max(fround(width / (quantMax - quantMin)), OBSERVER_EPS);
  const zeroPoint = clamp(quantMin - rint(fround(low / scale)), quantMin, quantMax);
  return { scale, zeroPoint, quantMin, quantMax };
}

/** torch's symmetric zero point: 128 for all of uint8, the middle rounded down for part of it. */
function middleCode(signed, bits) {
  if (signed) return 0;
  return bits === 8 ? 128 : 2 ** (bits - 1) - 1;
}

/** The value, or the end of the range that it lies beyond. */
export function clamp(value, low, high) {
  return value < low ? low : value > high ? high : value;
}

/** Halves go away from 0. */
const halvesAway = (x) => Math.sign(x) * Math.floor(Math.abs(x) + 0.5);

/** Code before clamping by each rounding rule; `inv` is the float32 reciprocal of the scale. */
const ROUNDINGS = {
  nearest: (x, inv, z) => rint(fround(x * inv)) + z,
  away: (x, inv, z) => halvesAway(fround(x * inv)) + z,
  down: (x, inv, z) => Math.floor(fround(x * inv)) + z,
  add: (x, inv, z) => rint(fround(fround(x * inv) + z)),
  fma: (x, inv, z) => rint(fma(x, inv, z)),
};

/** Return the codes of float32 values (qlearn.quantize) and how many of them were clipped. */
export function quantize(values, qparams, rounding = qparams.rounding ?? "nearest") {
  const { scale, zeroPoint, quantMin, quantMax } = qparams;
  const inv = fround(1 / fround(scale));
  const unclamped = ROUNDINGS[rounding];
  const nanCode = { nearest: quantMin, fma: quantMax, add: clamp(0, quantMin, quantMax) }[rounding];
  const codes = new Int32Array(values.length);
  let clipped = 0;
  for (let i = 0; i < values.length; i++) {
    const code = unclamped(values[i], inv, zeroPoint);
    if (code < quantMin || code > quantMax) clipped++;
    codes[i] = Number.isNaN(code) ? nanCode : clamp(code, quantMin, quantMax);
  }
  return { codes, clipped };
}

/** Return the float32 values that the codes stand for (qlearn.dequantize). */
export function dequantize(codes, { scale, zeroPoint }) {
  const step = fround(scale);
  const restored = new Float32Array(codes.length); // which rounds what is put into it
  for (let i = 0; i < codes.length; i++) restored[i] = step * (codes[i] - zeroPoint);
  return restored;
}

/** Return mean squared error, largest error and signal-to-noise ratio in dB, in float64. */
export function errors(reference, approximation) {
  let noise = 0;
  let signal = 0;
  let maxError = 0;
  for (let i = 0; i < reference.length; i++) {
    const error = reference[i] - approximation[i];
    noise += error * error;
    signal += reference[i] * reference[i];
    if (Math.abs(error) > maxError) maxError = Math.abs(error);
  }
  const sqnr = noise === 0 ? Infinity : 10 * Math.log10(signal / noise);
  return { mse: noise / reference.length, maxError, sqnr };
}

/** Quantize values and restore them: the codes, what they stand for, the share clipped, the errors. */
export function roundTrip(values, qparams, rounding) {
  const { codes, clipped } = quantize(values, qparams, rounding);
  const restored = dequantize(codes, qparams);
  return { codes, restored, share: clipped / values.length, ...errors(values, restored) };
}

/** The smallest and the largest value. */
export function extremes(values) {
  let [low, high] = [Infinity, -Infinity];
  for (const value of values) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return [low, high];
}

/** The size of the value furthest from 0. */
export const largestSize = (values) => Math.max(0, ...extremes(values).map(Math.abs));

/** The sum of products, added up from the first on. */
export function dot(a, b) {
  let sum = 0;
  for (let k = 0; k < a.length; k++) sum += a[k] * b[k];
  return sum;
}

/** For each row of weights, its sums of products with the inputs. */
export const products = (rows, inputs) => rows.map((row) => inputs.map((input) => dot(row, input)));

/** The rows, each of so many values, of a matrix whose rows follow one another. */
export function rowsOf(values, length) {
  return Array.from({ length: values.length / length }, (_, i) =>
    values.subarray(i * length, (i + 1) * length),
  );
}

// fma: float64 holds the product of two float32 exactly, but not always the sum. The sum is
// rounded to odd, so that the second rounding, to float32, lands where a single one would.

const float64 = new Float64Array(1);
const words = new Uint32Array(float64.buffer); // [low, high] on every machine a browser runs on

/** Return a·b + c rounded to float32 once; the arguments are float32 numbers. */
export function fma(a, b, c) {
  const product = a * b;
  const total = product + c;
  const part = total - product;
  const error = product - (total - part) + (c - part); // Knuth's TwoSum
  if (error === 0 || !Number.isFinite(error)) return fround(total);
  float64[0] = total;
  if (words[0] % 2 === 0) {
    const outwards = error > 0 === total > 0;
    if (outwards) words[0] += 1;
    else {
      if (words[0] === 0) words[1] -= 1;
      words[0] -= 1; // wraps to 0xffffffff when it borrowed
    }
  }
  return fround(float64[0]);
}
