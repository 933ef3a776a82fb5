"""torchao without what its import logs: libraries for processors that this machine is not."""

import logging
import warnings

logging.disable(logging.WARNING)
try:
    with warnings.catch_warnings(action="ignore"):
        import torchao.quantization as torchao
finally:
    logging.disable(logging.NOTSET)

__all__ = ["torchao"]
