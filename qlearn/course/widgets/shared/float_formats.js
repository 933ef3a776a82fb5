// Codes of numbers: sign, exponent and mantissa, or an integer times a scale. Proven against torch
// and ml_dtypes.

import { dequantize, fround, quantize, rint } from "./quantmath.js";

// What the top exponent means: infinity and NaN as IEEE 754 has them; numbers and one NaN ("fn");
// numbers alone, and the code of −0 is NaN ("fnuz"); all codes are numbers ("none"). `nan` is the
// code that torch writes.
export const FORMATS = {
  float32: { exponent: 8, mantissa: 23, bias: 127, top: "ieee", nan: 0x7fc00000 },
  bfloat16: { exponent: 8, mantissa: 7, bias: 127, top: "ieee", nan: 0x7fc0 },
  float16: { exponent: 5, mantissa: 10, bias: 15, top: "ieee", nan: 0x7e00 },
  E5M2: { exponent: 5, mantissa: 2, bias: 15, top: "ieee", nan: 0x7f },
  E4M3: { exponent: 4, mantissa: 3, bias: 7, top: "ieee", nan: 0x7f },
  E4M3FN: { exponent: 4, mantissa: 3, bias: 7, top: "fn", nan: 0x7f },
  E5M2FNUZ: { exponent: 5, mantissa: 2, bias: 16, top: "fnuz", nan: 0x80 },
  E4M3FNUZ: { exponent: 4, mantissa: 3, bias: 8, top: "fnuz", nan: 0x80 },
  int8: { exponent: 0, mantissa: 7, top: "integer" },
};
export const E2M1FN = { exponent: 2, mantissa: 1, bias: 1, top: "none" }; // of microscaling

const integers = (scale) => ({ scale, zeroPoint: 0, quantMin: -128, quantMax: 127 }); // of int8

export const width = ({ exponent, mantissa }) => 1 + exponent + mantissa;

/** The sign, the exponent's bits and the mantissa's, as integers. */
export function fields(code, { exponent, mantissa }) {
  const above = Math.floor(code / 2 ** mantissa);
  return { sign: above >> exponent, raw: above % 2 ** exponent, fraction: code % 2 ** mantissa };
}

/** Return the number that a code means; `scale` is int8's. */
export function decode(code, format, scale = 1) {
  if (format.top === "integer") return dequantize([rank(code, format)], integers(scale))[0];
  const { sign, raw, fraction } = fields(code, format);
  const { exponent, mantissa, bias, top } = format;
  const last = raw === 2 ** exponent - 1;
  if (top === "ieee" && last) return fraction ? NaN : sign ? -Infinity : Infinity;
  if (top === "fn" && last && fraction === 2 ** mantissa - 1) return NaN;
  if (top === "fnuz" && code === format.nan) return NaN;
  const hidden = raw > 0 ? 2 ** mantissa : 0;
  const size = (hidden + fraction) * 2 ** (Math.max(raw, 1) - bias - mantissa);
  return sign ? -size : size;
}

/** The largest finite code without its sign. */
function largest({ exponent, mantissa, top }) {
  const codes = 2 ** (exponent + mantissa);
  return top === "ieee" ? codes - 2 ** mantissa - 1 : codes - (top === "fn" ? 2 : 1);
}

/**
 * Return the code of the nearest number, ties to even. What rounds beyond the end becomes the end
 * with the overflow "saturate", and infinity, else NaN, with "special".
 */
export function encode(number, format, overflow = "saturate", scale = 1) {
  if (format.top === "integer")
    return codeAt(quantize([fround(number)], integers(scale)).codes[0], format);
  if (Number.isNaN(number)) return format.nan;
  const value = fround(number);
  const negative = value < 0 || Object.is(value, -0);
  const sign = negative ? 2 ** (width(format) - 1) : 0;
  const size = sizeCode(Math.abs(value), format);
  if (size > largest(format)) {
    if (overflow === "saturate") return sign + largest(format);
    return format.top === "ieee" ? sign + largest(format) + 1 : special(sign, format);
  }
  return size === 0 && format.top === "fnuz" ? 0 : sign + size;
}

const special = (sign, { top, nan }) => (top === "fnuz" ? nan : sign + nan);

/** The code of a size, as if there were no end: the hidden bit carries into the exponent. */
function sizeCode(size, { mantissa, bias }) {
  if (size === Infinity) return Infinity;
  const power = Math.max(size > 0 ? floorLog2(size) : -Infinity, 1 - bias);
  return rint(size / 2 ** (power - mantissa)) + (power + bias - 1) * 2 ** mantissa;
}

/** Math.log2 may round up to a whole number. */
function floorLog2(size) {
  const power = Math.floor(Math.log2(size));
  return 2 ** power > size ? power - 1 : power;
}

/** The place of a finite code among all: 0 for zero, growing with the number. */
export function rank(code, format) {
  const half = 2 ** (width(format) - 1);
  if (format.top === "integer") return code < half ? code : code - 2 * half;
  return code < half ? code : half - code;
}

/** The code at a place, and from which to which place there are codes. */
export function codeAt(place, format) {
  const half = 2 ** (width(format) - 1);
  if (place >= 0) return place;
  return format.top === "integer" ? place + 2 * half : half - place;
}
export const places = (format) =>
  format.top === "integer" ? [-128, 127] : [-largest(format), largest(format)];

/** So many numbers of a format, from a place among all on; `scale` is int8's. */
export const numbersFrom = (first, count, format, scale) =>
  Array.from({ length: count }, (_, i) => decode(codeAt(first + i, format), format, scale));
