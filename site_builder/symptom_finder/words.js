// The words that people use: which mean the same, which say nothing, what else an entry is called.

/** Words of one meaning, a line each; the first stands for all. */
export const SAME = [
  "float fp32 float32",
  "float8 fp8",
  "bfloat16 bf16",
  "float16 fp16 half",
  "batchnorm batchnorm2d bn",
  "concat concatenation cat",
  "different differ",
];

/** What people call a symptom whose entry says it otherwise. */
export const ALSO_SAID = {
  accuracy:
    "accuracy drop after ptq map score r2 bad results worse predictions degradation static int8 MovingAverageMinMaxObserver",
  equal: "model predicts one class always same prediction constant output zeros",
  nan: "output nan inf loss nan",
  "float8-overflow": "fp8 nan overflow saturate",
  fnuz: "amd rocm mi300 fp8 wrong values",
  batch: "results depend on batch size single image",
  "each-time": "different results every run not reproducible random nondeterministic",
  length: "long sequences answers drift gets worse over time lstm rnn own kv cache wrong",
  frozen: "freeze batchnorm statistics",
  cat: "concat skip branch accuracy",
  shared: "softmax attention mask small values lost",
  merged: "merge lora into 4-bit base merge_and_unload quality",
  machine:
    "different results or accuracy only on another cpu arm x86 laptop server mobile raspberry pi",
  kernels: "wrong result of one operator",
  qat: "quantization aware training accuracy good during training bad after convert fake quant",
  untrained:
    "weights do not update loss stays same flat constant every epoch does not decrease not learning no gradient",
  teacher: "original float model changed deepcopy",
  nonsense: "llm gibberish garbage repeats perplexity high after gptq awq act order group scale",
  package: "exported onnx onnxruntime torchscript compiled loaded model gives not the same output",
  vectors: "embedding retrieval recall nearest neighbours faiss",
  better: "accuracy higher than float",
  slower: "int8 not faster no speedup slow inference latency torchao compile",
  hangs: "conv stuck never returns",
  waits: "dataloader multiprocessing deadlock gunicorn fork stuck",
  size: "model size same on disk checkpoint file bigger larger than float not smaller tied embeddings pt mb",
  anew: "recompile every start compile time cache",
  nothing: "layers not quantized no effect does nothing still float32 conv skipped",
  memory: "ram usage not reduced peak memory runs out of memory oom",
  cache: "kv cache runs out of memory oom long context",
  cuda: "move quantized model to gpu cuda",
  "no-engine": "apple silicon m1 mac arm no engine backend not supported fbgemm",
  keys: "load saved quantized weights loading checkpoint gives missing keys state dict",
  onnx: "cant export quantized model to onnx fails",
  "out-variants": "executorch xnnpack delegate portable ops",
  deepcopy: "deepcopy error",
  dies: "segfault segmentation fault core dumped crash",
};

/** Words that stand in any sentence. */
export const NOTHING_SAID = new Set(
  (
    "a about after all also am an and any are as at be been but by can cannot could did " +
    "do does for from get gets got had has have how i if in into is it its just me my no " +
    "not of on only or our so some than that the their them then there these they this to " +
    "too trying try use used using very was we were what when where which while why will " +
    "with would you your please help"
  ).split(" "),
);
