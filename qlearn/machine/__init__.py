"""What torch does on this machine, found by trying it."""

from qlearn.machine.engines import (
    int32_saturates,
    onednn_uses_arm_compute,
    use_engine,
    working_engines,
    x86_calls_onednn,
)
from qlearn.machine.products import (
    int_mm_is_exact,
    joins_scales,
    kernels_saturate,
    torch_fuses,
)
from qlearn.machine.rounding import installed_nan_code, installed_rounding, qnnpack_rounding

__all__ = [
    "installed_nan_code",
    "installed_rounding",
    "int32_saturates",
    "int_mm_is_exact",
    "joins_scales",
    "kernels_saturate",
    "onednn_uses_arm_compute",
    "qnnpack_rounding",
    "torch_fuses",
    "use_engine",
    "working_engines",
    "x86_calls_onednn",
]
