// One scale for a matrix, or one for each row of it: the codes of torch's old dynamic layer and of
// torchao's new one, and what they leave of each row.

import { dynamicQParams } from "../shared/dynamic_range.js";
import * as math from "../shared/quantmath.js";
import { float32Values } from "../shared/values.js";

/** What the old and the new rule make of the matrix once one of its rows is 2^octaves as large. */
export function byBoth({ values, rows, token, octaves, mapping, reduce_range: reduced }) {
  const stored = float32Values(values);
  const width = stored.length / rows;
  const factor = (i) => (Math.floor(i / width) === token ? 2 ** octaves : 1);
  const x = stored.map((value, i) => value * factor(i));
  return [perTensor(x, width, reduced), perToken(x, width, mapping)];
}

/** As quantize_dynamic does it: one scale and zero point, uint8 (qlearn.dynamic_qparams). */
function perTensor(x, width, reduced) {
  const qparams = dynamicQParams(x, reduced);
  return measured(x, width, () => qparams, "fma");
}

/** As torchao does it: int8, qparams for each row (qlearn.token_qparams). */
function perToken(x, width, mapping) {
  const rule = { signed: true, bits: 8, symmetric: mapping === "symmetric" };
  const chosen = (row) => math.chooseQParams(...math.extremes(row), rule);
  return measured(x, width, chosen, "nearest");
}

/** Each row's qparams, its SQNR in dB, and whether only zeros are left; the SQNR of the whole. */
function measured(x, width, qparamsOf, rounding) {
  const rows = math.rowsOf(x, width).map((row) => {
    const qparams = qparamsOf(row);
    const { restored, sqnr } = math.roundTrip(row, qparams, rounding);
    const lost = row.some(Boolean) && !restored.some(Boolean);
    return { qparams, restored, lost, sqnr };
  });
  const restored = rows.flatMap((row) => [...row.restored]);
  return { rows, sqnr: math.errors(x, restored).sqnr };
}
