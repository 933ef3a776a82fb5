"""What was invented for language models: weights, activations and caches of few bits."""

from qlearn.language.awq import awq_scales, scaled_groups
from qlearn.language.bits import bits_per_byte
from qlearn.language.cache import quantize_cache
from qlearn.language.clipping import clipped_groups
from qlearn.language.decomposed_product import decomposed_product
from qlearn.language.gptq import by_activation, gptq
from qlearn.language.hadamard import hadamard
from qlearn.language.llm_int8 import linear_llm_int8
from qlearn.language.quantized_cache import QuantizedCache
from qlearn.language.rotate import rotate
from qlearn.language.rounded_product import codes_and_step, rounded_product
from qlearn.language.smoothing import smooth_scales

__all__ = [
    "QuantizedCache",
    "awq_scales",
    "bits_per_byte",
    "by_activation",
    "clipped_groups",
    "codes_and_step",
    "decomposed_product",
    "gptq",
    "hadamard",
    "linear_llm_int8",
    "quantize_cache",
    "rotate",
    "rounded_product",
    "scaled_groups",
    "smooth_scales",
]
