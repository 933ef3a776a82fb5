// The tables of the dynamic linear layer: of numbers to edit, and of numbers to read.

import { compact, element, keepKeys } from "./drawing.js";

const LARGEST = 1e6;

/** A table of number fields; edited(i, j, number) is called for each valid change. */
export function fieldTable(name, rows, columns, edited) {
  const inputs = rows.map((row, i) =>
    columns.map((column, j) => {
      const input = element("input", { type: "number", step: 0.1, min: -LARGEST, max: LARGEST });
      input.setAttribute("aria-label", `${name}, ${row}, ${column}`);
      keepKeys(input);
      input.addEventListener("input", () => {
        const valid = input.value !== "" && Math.abs(input.valueAsNumber) <= LARGEST;
        input.setAttribute("aria-invalid", String(!valid));
        if (valid) edited(i, j, input.valueAsNumber);
      });
      return input;
    }),
  );
  const { table, cells } = emptyTable(name, rows, columns);
  cells.forEach((list, i) => list.forEach((cell, j) => cell.append(inputs[i][j])));
  /** Show the numbers, and mark some rows or a column as followed. */
  const show = (numbers, followedRows, followedColumn) =>
    numbers.forEach((list, i) =>
      list.forEach((number, j) => {
        const input = inputs[i][j];
        // What is being typed stays as it is: 0.50 must not become 0.5 under the cursor.
        if (Math.fround(input.valueAsNumber) !== Math.fround(number)) {
          input.value = shortest(number);
          input.setAttribute("aria-invalid", "false");
        }
        const followed = followedRows.includes(i) || j === followedColumn;
        cells[i][j].classList.toggle("qb-followed", followed);
      }),
    );
  return { table, show };
}

/** A table of numbers to read; show() marks a row as followed, or one cell of it. */
export function numberTable(name, rows, columns) {
  const { table, cells } = emptyTable(name, rows, columns);
  const show = (numbers, row, column) =>
    numbers.forEach((list, i) =>
      list.forEach((number, j) => {
        write(cells[i][j], String(number));
        const followed = i === row && (column === undefined || j === column);
        cells[i][j].classList.toggle("qb-followed", followed);
      }),
    );
  return { table, show };
}

function emptyTable(name, rows, columns) {
  const table = element("table", { className: "qb-numbers" });
  table.append(element("caption", { textContent: name }));
  const head = table.createTHead().insertRow();
  head.append(element("td"), ...columns.map((column) => headCell(column, "col")));
  const body = table.createTBody();
  const cells = rows.map((row) => {
    const line = body.insertRow();
    line.append(headCell(row, "row"));
    return columns.map(() => line.insertCell());
  });
  return { table, cells };
}

const headCell = (textContent, scope) => element("th", { textContent, scope });

/** A list of steps, each a name and a number; show() writes only what has changed. */
export function stepList() {
  const list = element("dl", { className: "qb-sum" });
  const show = (lines) => {
    while (list.children.length < 2 * lines.length) list.append(element("dt"), element("dd"));
    lines.forEach(([term, value, className = ""], i) => {
      [term, value].forEach((text, side) => {
        const cell = list.children[2 * i + side];
        write(cell, text);
        cell.className = className;
      });
    });
  };
  return { list, show };
}

/** Write a text, unless it stands there: what does not change need not be laid out again. */
function write(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/** The way of one output: products, offset, accumulator, multiplier, bias. */
export function steps({ input, weight, multiplier, outputs, exact }, [row, output], bias, engine) {
  const { product, offset, total, y } = outputs[row][output];
  const products = input.codes[row].map((code, k) => {
    const factor = weight.codes[output][k];
    return [`${code} · ${signedNumber(factor)}`, signedNumber(code * factor)];
  });
  const rounding = engine === "fbgemm" ? "rounded once" : "each rounded";
  return [
    ...products,
    ["Sum of the products", signedNumber(product), "qb-rule"],
    [`Offset: ${input.zeroPoint} · ${signedNumber(weight.sums[output])}`, signedNumber(offset)],
    ["Accumulator, the difference", signedNumber(total), "qb-rule"],
    ["Multiplier: scale of x · scale of w", compact(multiplier)],
    ["Bias, never quantized", compact(Math.fround(bias[output]))],
    [`Accumulator · multiplier + bias, ${rounding}`, decimal(y), "qb-rule"],
    ["Without any rounding", decimal(exact[row][output])],
  ];
}

/** The shortest decimal that means the same float32. */
function shortest(number) {
  const wanted = Math.fround(number);
  for (let digits = 1; digits < 9; digits++) {
    const text = wanted.toPrecision(digits);
    if (Math.fround(Number(text)) === wanted) return String(Number(text));
  }
  return String(wanted);
}

/** A float in six significant digits, with a real minus sign. */
export function decimal(number) {
  const text = String(Number(number.toPrecision(6)));
  return text.replaceAll("-", "−");
}

export const signedNumber = (number) => String(number).replace("-", "−");
