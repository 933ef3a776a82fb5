"""What torch does on this machine, found by trying it.

Look here first where a bit differs from a chapter. Torch 2.13 on Linux answers:

===========================  ==============================  ===========  =========  ==============
probe                        what does torch do here?        x86-64 with  limited    ARM (emulated
                                                             AVX512-VNNI  to AVX2    Neoverse N1)
===========================  ==============================  ===========  =========  ==============
``working_engines``          which engines run layers?       all four     all four   qnnpack, onednn
``kernels_saturate``         do int8 products lose bits?     no           yes ¹      no
``int_mm_is_exact``          does ``torch._int_mm`` sum      yes          no ²       yes
                             in 32 bits?
``torch_fuses``              is a·b + c rounded once?        yes          yes        yes
``fuses_averages``           does the fused observer round   no           no         yes
                             its average once?
``joins_scales``             does oneDNN multiply the two    no ⁴         yes        yes
                             scales first?
``linear_variant``           how does oneDNN's static layer  apart ⁵      joined     joined
                             requantize?
``x86_calls_onednn``         does x86 hand convolutions to   yes          ²          no
                             oneDNN?
``onednn_uses_arm_compute``  does oneDNN hand layers to      no           no         yes
                             the Arm Compute Library,
                             and take int8 activations?
``int32_saturates``          does a float beyond int32       no           no         yes
                             become the nearest end?
``installed_rounding``       how are ties rounded: to 8      fma, add     fma, add   fma, fma ³
                             bits, and per channel?
``installed_nan_code``       what is NaN in int8?            127          127        0
``qnnpack_rounding``         how does qnnpack's dynamic      fma          fma        fma
                             layer round?
===========================  ==============================  ===========  =========  ==============

1. Not those of qnnpack.
2. "Limited" is a processor with VNNI whose libraries were told to use AVX2. On a processor
   that lacks VNNI, ``torch._int_mm`` is exact, and ``x86_calls_onednn`` answers no.
3. To quint8 per channel "nearest".
4. With AMX yes, save in small shapes: see :mod:`qlearn.machine.scale_order`.
5. With AMX "joined", save in small shapes. For this layer and for convolutions, see
   :mod:`qlearn.machine.variants`.
"""

from qlearn.machine.engines import (
    int32_saturates,
    onednn_uses_arm_compute,
    use_engine,
    working_engines,
    x86_calls_onednn,
)
from qlearn.machine.products import (
    fuses_averages,
    int_mm_is_exact,
    kernels_saturate,
    torch_fuses,
)
from qlearn.machine.rounding import installed_nan_code, installed_rounding, qnnpack_rounding
from qlearn.machine.scale_order import joins_scales
from qlearn.machine.variants import Variant, convolution_variant, fbgemm_variant, linear_variant
from qlearn.machine.windows import Window

__all__ = [
    "Variant",
    "Window",
    "convolution_variant",
    "fbgemm_variant",
    "fuses_averages",
    "installed_nan_code",
    "installed_rounding",
    "int32_saturates",
    "int_mm_is_exact",
    "joins_scales",
    "kernels_saturate",
    "linear_variant",
    "onednn_uses_arm_compute",
    "qnnpack_rounding",
    "torch_fuses",
    "use_engine",
    "working_engines",
    "x86_calls_onednn",
]
