"""What torch does on this machine, found by trying it."""

from qlearn.machine.engines import (
    int32_saturates,
    onednn_uses_arm_compute,
    use_engine,
    working_engines,
)

__all__ = ["int32_saturates", "onednn_uses_arm_compute", "use_engine", "working_engines"]
