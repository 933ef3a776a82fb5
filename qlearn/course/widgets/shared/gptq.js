// GPTQ column by column; the same codes as qlearn.gptq's. A matrix is a list of its rows.

import { groupQParams } from "./groups.js";
import { dot, fround, largestSize, products, roundTrip } from "./quantmath.js";

const DAMP = 0.01; // added to the diagonal of XᵀX, as a share of its mean

/** XᵀX of the inputs, in float64. */
export function gram(inputs) {
  const columns = inputs[0].map((_, i) => inputs.map((row) => row[i]));
  return products(columns, columns);
}

/** XᵀX, damped; with 1 on the diagonal where every input is 0. */
export function hessian(sums) {
  const damp = (DAMP * sums.reduce((sum, row, i) => sum + row[i], 0)) / sums.length;
  return sums.map((row, i) => row.with(i, row[i] + damp || 1));
}

/** The part of an error in column i that each later column takes: H_LL⁻¹ · H_Li, least squares. */
export function shares(h, i) {
  const later = [...h.keys()].slice(i + 1);
  const system = later.map((j) => [...later.map((k) => h[j][k]), h[j][i]]);
  const solved = later.reduce((rows, _, p) => {
    const pivot = rows[p].map((value) => value / rows[p][p]);
    const without = (row) => row.map((value, c) => value - row[p] * pivot[c]);
    return rows.map((row, r) => (r === p ? pivot : without(row)));
  }, system);
  return Object.fromEntries(later.map((j, place) => [j, solved[place].at(-1)]));
}

/** What the codes of each row are rounded with. */
export const rowQParams = (rows, bits) => rows.map((row) => groupQParams(largestSize(row), bits));

/** Each column's codes, and the weight before and after: later ones take `shares` of its errors. */
export function steps(weight, qparams, sharesOf) {
  let after = weight;
  return weight[0].map((_, i) => {
    const [before, parts] = [after, sharesOf(i)];
    const rounded = before.map((row, r) => roundTrip([fround(row[i])], qparams[r]));
    after = before.map((row, r) => {
      const error = row[i] - rounded[r].restored[0];
      const moved = row.map((value, j) => value + error * (parts[j] ?? 0));
      return moved.with(i, rounded[r].restored[0]);
    });
    return { codes: rounded.map(({ codes }) => codes[0]), before, after };
  });
}

/** The size of what a changed weight changes in the outputs, as a share of their own, by XᵀX. */
export function outputError(weight, changed, sums) {
  const times = (row) => sums.map((each) => dot(each, row));
  const squares = (rows) => rows.reduce((sum, row) => sum + dot(row, times(row)), 0);
  const size = (rows) => Math.sqrt(Math.max(0, squares(rows))); // rounding may leave −1e-20
  return size(weight.map((row, r) => row.map((v, i) => v - changed[r][i]))) / (size(weight) || 1);
}
