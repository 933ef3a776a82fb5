// What loud channels are met with, and int8 codes; the same numbers as qlearn's smooth_scales,
// hadamard and linear_llm_int8. A matrix is a list of its rows.

import { fround, largestSize, rint } from "./quantmath.js";

const EPS = 2 ** -23;
const LARGEST = 127; // code

/** The columns of some rows. */
export const columnsOf = (rows) => rows[0].map((_, k) => rows.map((row) => row[k]));

/** A factor for each channel: inputs are divided by it, weights multiplied. */
export function smoothScales(x, weight, alpha) {
  const power = (numbers, exponent) =>
    fround(fround(largestSize(numbers) + EPS) ** fround(exponent));
  const [ofX, ofWeight] = [x, weight].map(columnsOf);
  return ofX.map((column, k) => fround(power(column, alpha) / power(ofWeight[k], 1 - alpha)));
}

/** Rows times Sylvester's matrix, whose sign at (k, j) is the parity of the bits of k and j. */
export function rotated(rows) {
  const isOdd = (bits) => (bits ? !isOdd(bits & (bits - 1)) : false);
  const entry = (k, j) => fround((isOdd(k & j) ? -1 : 1) / Math.sqrt(rows[0].length));
  const product = (row) => (_, j) =>
    fround(row.reduce((sum, value, k) => sum + value * entry(k, j), 0));
  return rows.map((row) => row.map(product(row)));
}

/** The codes of numbers with one scale, that of the largest size, and what the codes mean. */
export function vectorwise(numbers, largest = largestSize(numbers)) {
  const steps = largest === 0 ? 0 : fround(fround(1 / largest) * LARGEST);
  const codes = numbers.map((number) => rint(fround(number * steps)) + 0); // no −0
  return { codes, meant: codes.map((code) => (code * largest) / LARGEST) };
}
