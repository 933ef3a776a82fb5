// What dynamic quantization changes about a layer; the same counts as qlearn.course.layer_costs.

const CONV_WIDTH = 3;

/** The arguments of quantize_dynamic after the model: what they swap, and a weight's bytes then. */
export const SPECS = {
  "": { swaps: ["linear", "lstm"], inFile: 1, inMemory: 1 },
  "{nn.Linear}": { swaps: ["linear"], inFile: 1, inMemory: 1 },
  "{nn.LSTM}": { swaps: ["lstm"], inFile: 1, inMemory: 1 },
  "{nn.Linear, nn.LSTM, nn.Conv1d}": { swaps: ["linear", "lstm"], inFile: 1, inMemory: 1 },
  "dtype=torch.float16": { swaps: ["linear", "lstm"], inFile: 4, inMemory: 2 },
  "dtype=torch.quint8": { swaps: ["embedding"], inFile: 1, inMemory: 1 },
};

/** Whether the layer is swapped, its bytes in the file, and a call's products and bytes fetched. */
export function layerCost([kind, inputs, outputs], spec, batch, steps) {
  const { weights, biases, products, fetched } = counts(kind, inputs, outputs, batch, steps);
  const { swaps, inFile, inMemory } = SPECS[spec];
  const swapped = swaps.includes(kind);
  const extra = swapped ? ({ linear: 12, embedding: 8 * inputs }[kind] ?? 0) : 0;
  const rows = swapped && kind === "embedding" ? 8 * batch * steps : 0;
  return {
    swapped,
    fileBefore: 4 * (weights + biases),
    fileAfter: (swapped ? inFile : 4) * weights + 4 * biases + extra,
    products,
    fetchedBefore: 4 * fetched,
    fetchedAfter: (swapped ? inMemory : 4) * fetched + rows,
  };
}

function counts(kind, inputs, outputs, batch, steps) {
  const rows = batch * steps;
  if (kind === "embedding")
    return { weights: inputs * outputs, biases: 0, products: 0, fetched: rows * outputs };
  if (kind === "lstm") {
    const [once, eachStep] = [4 * outputs * inputs, 4 * outputs * outputs];
    const weights = once + eachStep;
    const fetched = once + steps * eachStep;
    return { weights, biases: 8 * outputs, products: rows * weights, fetched };
  }
  const weights = inputs * outputs * (kind === "conv1d" ? CONV_WIDTH : 1);
  return { weights, biases: outputs, products: rows * weights, fetched: weights };
}
