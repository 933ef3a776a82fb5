// What a number was made of: a sentence, the computation, and of a sum a picture of its products.

import { bySize, madeOf, mostAdded, outputOf, STEPS, terms } from "../shared/digits_journey.js";
import * as field from "../shared/fields.js";
import { html } from "../shared/html.js";
import { inBlocks, outlines, shaded } from "../shared/matrix.js";
import { compact, fixed, grouped, signed } from "../shared/print.js";
import { RULES } from "../shared/requantization.js";

const real = (number) => fixed(number, 3);

/** The computation behind the chosen number. */
export function origin(steps, state) {
  const { sentence, table, more } = WAYS[STEPS[state.step].does](steps, state);
  return html`<div><p class="qb-steady">${sentence}</p>${field.numberTable(...table)}${more}</div>`;
}
const WAYS = { quantize: divided, add: added, requantize: requantized, choose: chosen };

/** A pixel in steps of the scale. */
function divided([{ real: pixels, codes, restored, qparams }], { at }) {
  const { scale, zeroPoint } = qparams;
  const rows = [
    ["the pixel", real(pixels[at]), ""],
    [`÷ ${compact(scale)}`, "", signed(pixels[at] / scale, 2)],
    [`rounded + ${zeroPoint}`, "", field.strong(codes[at])],
    ["it means", "", real(restored[at])],
  ];
  const sentence = "Divide the pixel by the scale, round, and add the zero point.";
  return { sentence, table: [["", "real", "integer"], rows] };
}

/** A sum: one product of many at a time, and all of them as a picture. */
function added(steps, { step: number, at, rank }) {
  const step = steps[number];
  const all = terms(steps, number, at);
  const order = bySize(all);
  const { x, w, input, weight, ...product } = order[rank] ?? all[0];
  const scales = [step.before.qparams.scale, step.weights[outputOf(step, at)].scale];
  const meant = [input * scales[0], weight * scales[1]];
  const last = [meant[0] * meant[1], step.codes[at] * scales[0] * scales[1]];
  const rows = [
    ["real", ...[x, w, product.real, step.real[at]].map(real)],
    ["integer", ...[input, weight, product.whole, step.codes[at]].map(grouped)],
    ["it means", ...[...meant, ...last].map(real)],
  ];
  const count = all.length;
  const taken = order.findIndex(({ k }) => k === mostAdded(steps, number, at).k);
  const larger = order.findIndex(({ whole }) => Math.abs(whole) === Math.abs(order[taken].whole));
  const counts = larger === 1 ? "the larger one counts" : "larger ones count";
  const way = ` “Follow it back” takes product ${taken + 1}: ${counts} against the sum.`;
  const place = { value: rank, max: count - 1, text: `${rank + 1} of ${count}` };
  return {
    sentence: `Multiply ${count} codes, each less its zero point, by ${count} weights, and add.${larger > 0 ? way : ""}`,
    table: [["", "input", "weight", "product", `all ${count}`], rows],
    more: [
      field.slider({ name: "rank", label: "Which product, by its size", ...place }),
      html`<div class="qb-products">${products(all, product.k)}</div>`,
    ],
  };
}

/** All products of a sum, those of each channel together, with a frame around one. */
function products(all, k) {
  const side = all.length === 256 ? 4 : 3;
  const look = { size: [side, side], across: Math.sqrt(all.length) / side };
  const [channel, place] = [Math.floor(k / side ** 2), k % side ** 2];
  const box = [channel, Math.floor(place / side), place % side, 1, 1];
  const over = outlines([inBlocks(look)(box)], { "stroke-width": 2 });
  const numbers = all.map(({ whole }) => whole);
  const [sum, one] = [numbers.reduce((total, each) => total + each), numbers[k]].map(grouped);
  const label = `${all.length} products, which add up to ${sum}; the one in the frame is ${one}.`;
  return shaded(label, numbers, { ...look, over });
}

/** From a sum to a code of the next layer. */
function requantized(steps, { step: number, at }) {
  const [sums, { last, layer, qparams, restored, ...step }] = steps.slice(number - 1);
  const given = last[outputOf({ weights: last, ...step }, at)];
  const { steps: scaled, code } = RULES.fbgemm(sums.codes[at], given);
  const whole = Math.round(10 * (sums.codes[at] + given.bias / given.step)) / 10;
  const limit = `${layer.relu ? qparams.zeroPoint : 0} … 255`;
  const rows = [
    ["sum", real(sums.real[at]), grouped(sums.codes[at])],
    ["+ bias", real(sums.real[at] + given.bias), grouped(whole)],
    [`× ${compact(given.multiplier)}`, "", signed(scaled, 2)],
    [`rounded + ${qparams.zeroPoint}`, "", grouped(code)],
    [limit, real(step.real[at]), field.strong(step.codes[at])],
    ["it means", "", real(restored[at])],
  ];
  const sentence = "Add the bias, go over to the steps of the next ruler, round, and clip.";
  return { sentence, table: [["", "real", "integer"], rows] };
}

/** The largest of four. */
function chosen(steps, { step: number, at }) {
  const [before, step] = steps.slice(number - 1);
  const four = madeOf(number, at);
  const rows = [
    ["real", ...four.map((place) => real(before.real[place])), real(step.real[at])],
    ["integer", ...four.map((place) => before.codes[place]), field.strong(step.codes[at])],
  ];
  const sentence = "Keep the largest of four. Nothing is computed, so nothing is rounded.";
  return { sentence, table: [["", "1", "2", "3", "4", "largest"], rows] };
}
