"""``tinyquant``: eight steps from an empty file to the digits' network in integers.

The page ``reference/build_it_yourself`` leads through them. What a reader writes in one step the
next ones use.
"""

from qlearn.course.exercises.tinyquant.choose import CHOOSE
from qlearn.course.exercises.tinyquant.fake_quantize import FAKE_QUANTIZE
from qlearn.course.exercises.tinyquant.groups import QUANTIZE_GROUPS
from qlearn.course.exercises.tinyquant.layer import CONVOLVE, LAYER
from qlearn.course.exercises.tinyquant.matmul import INTEGER_MATMUL
from qlearn.course.exercises.tinyquant.network import NETWORK
from qlearn.course.exercises.tinyquant.observe import OBSERVER
from qlearn.course.exercises.tinyquant.quantize import DEQUANTIZE, QUANTIZE
from qlearn.course.exercises.tinyquant.requantize import REQUANTIZE

STEPS = (
    QUANTIZE,
    DEQUANTIZE,
    CHOOSE,
    OBSERVER,
    INTEGER_MATMUL,
    REQUANTIZE,
    LAYER,
    CONVOLVE,
    FAKE_QUANTIZE,
    QUANTIZE_GROUPS,
    NETWORK,
)
