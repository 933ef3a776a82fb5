// Numbers in print, with a real minus sign.

/** The number with so many digits after the point, or as it is. */
export const signed = (value, digits) =>
  (digits === undefined ? `${value}` : value.toFixed(digits)).replaceAll("-", "−");

/** The same, and no −0.00. */
export const fixed = (value, digits) => signed(value, digits).replace(/^−(0\.0+)$/, "$1");

/** At most so many significant digits. */
export const decimal = (value, digits) => signed(Number(value.toPrecision(digits)));

/** Four digits at most; below 0.001 and from 100,000 on three of them and a power of ten. */
export function compact(value) {
  if (value === 0) return "0";
  const size = Math.abs(value);
  const tiny = size < 1e-3 || size >= 1e5;
  return tiny ? signed(value.toExponential(2)) : decimal(value, 4);
}

/** A number in print, infinities, NaN and −0 too; nine digits tell all of float32 apart. */
export function exactly(value) {
  if (Object.is(value, -0)) return "−0";
  if (!Number.isFinite(value)) return signed(value).replace("Infinity", "∞");
  const size = Math.abs(value);
  const long = size !== 0 && (size < 1e-4 || size >= 1e6);
  return long ? signed(Number(value.toPrecision(9)).toExponential()) : decimal(value, 9);
}

/** The shortest decimal that means the same float32, for a field to type in. */
export const shortest = (value) =>
  [1, 2, 3, 4, 5, 6, 7, 8, 9]
    .map((digits) => Number(Math.fround(value).toPrecision(digits)))
    .find((number) => Math.fround(number) === Math.fround(value));

/** A number with a comma after each three digits, as the pages and Python write it. */
export function grouped(number) {
  const value = number || 0; // 0 for −0
  if (!Number.isSafeInteger(value)) return signed(value.toLocaleString("en-US"));
  return signed(value).replace(/\d(?=(\d{3})+$)/g, "$&,"); // sooner than by a locale, for whole grids
}

/** So many things: one, or several. */
export const counted = (count, one, several = `${one}s`) =>
  `${grouped(count)} ${count === 1 ? one : several}`;

/** A power of two, with a raised exponent. */
export const powerOfTwo = (exponent) =>
  `2${`${exponent}`.replace("-", "⁻").replace(/\d/g, (digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[digit])}`;

/** So many bytes, below 1,000 GB, in the unit that leaves one to three digits before the point. */
export function bytes(count) {
  if (count < 1000) return `${count} bytes`;
  const [unit, size] = count < 999.5e3 ? ["kB", 1e3] : count < 999.5e6 ? ["MB", 1e6] : ["GB", 1e9];
  return `${(count / size).toPrecision(3)} ${unit}`;
}

/** A share in percent. */
export const percent = (share, digits = 1) => `${signed(100 * share, digits)} %`;

/** A signal-to-noise ratio. */
export const decibels = (ratio, digits) =>
  ratio === Infinity ? "no error" : `${signed(ratio, digits)} dB`;

/** The smallest and the largest of some numbers, or the one that all are. */
export function span(numbers, print = compact) {
  const [low, high] = [Math.min(...numbers), Math.max(...numbers)].map(print);
  return low === high ? low : `${low} … ${high}`;
}
