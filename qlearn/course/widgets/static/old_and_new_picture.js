// The picture of old and new: for each token two bars, as long as its SQNR in dB.

import { present, widthOf } from "./drawing.js";

const TOKEN_ROW = 36; // heights in pixels: a token's two bars with their gap, one bar, the axis
const TOKEN_BAR = 13;
const DB_FOOT = 36;
const DB_MARGIN = { left: 84, right: 56 };
const DB_STEP = 10;

/** Draw the bars of every token; `rules` holds [class, SQNR of each row] twice. */
export function drawTokens(picture, { rules, token, octaves }) {
  const width = widthOf(picture);
  const count = rules[0][1].length;
  const bottom = count * TOKEN_ROW;
  const end = Math.max(60, ...rules.flatMap(([, rows]) => rows.filter(Number.isFinite)));
  const top = DB_STEP * Math.ceil(end / DB_STEP);
  const perDb = (width - DB_MARGIN.left - DB_MARGIN.right) / top;
  const x = (db) => Number((DB_MARGIN.left + perDb * Math.max(Math.min(db, top), 0)).toFixed(1));
  present(
    picture,
    width,
    bottom + DB_FOOT,
    `Two bars for each of ${count} tokens, the signal to noise ratio under the old rule and the new.`,
  );
  const rows = Array.from({ length: count }, (_, row) => {
    const size = row === token && octaves > 0 ? ` ×${2 ** octaves}` : "";
    const bars = rules.map(([name, found], i) => {
      const y = row * TOKEN_ROW + 3 + i * (TOKEN_BAR + 1);
      const db = found[row];
      const said = Number.isFinite(db) ? `${db.toFixed(1)} dB` : "exact";
      return (
        `<path class="${name}" d="M${x(0)},${y}H${x(db)}V${y + TOKEN_BAR}H${x(0)}Z"/>` +
        `<text x="${x(db) + 4}" y="${y + TOKEN_BAR - 2}">${said}</text>`
      );
    });
    const middle = row * TOKEN_ROW + TOKEN_ROW / 2 + 3;
    return `<text x="2" y="${middle}">token ${row + 1}${size}</text>${bars.join("")}`;
  });
  const ticks = Array.from({ length: top / DB_STEP + 1 }, (_, i) => i * DB_STEP).filter(
    (db) => width > 500 || db % 20 === 0,
  );
  picture.innerHTML = [
    ...rows,
    `<path class="qb-axis" d="M${x(0)},0V${bottom}H${x(top)}"/>`,
    ...ticks.map(
      (db) =>
        `<path class="qb-axis" d="M${x(db)},${bottom}v5"/>` +
        `<text x="${x(db)}" y="${bottom + 18}" text-anchor="middle">${db}</text>`,
    ),
    `<text x="${x(top / 2)}" y="${bottom + 32}" text-anchor="middle">SQNR in dB</text>`,
  ].join("");
}
