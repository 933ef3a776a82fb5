"""What was invented for language models: weights, activations and caches of few bits."""

from qlearn.language.awq import awq_scales
from qlearn.language.bits import bits_per_byte
from qlearn.language.cache import quantize_cache
from qlearn.language.gptq import gptq
from qlearn.language.hadamard import hadamard
from qlearn.language.llm_int8 import linear_llm_int8
from qlearn.language.rotate import rotate
from qlearn.language.smoothing import smooth_scales

__all__ = [
    "awq_scales",
    "bits_per_byte",
    "gptq",
    "hadamard",
    "linear_llm_int8",
    "quantize_cache",
    "rotate",
    "smooth_scales",
]
