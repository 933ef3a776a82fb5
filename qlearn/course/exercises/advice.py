"""What is behind errors of torch whose own words do not say what to do."""

from __future__ import annotations

from collections.abc import Mapping

# A part of torch's message, and what to do about it.
ADVICE: Mapping[str, str] = {
    '"im2col': "torch.nn.functional.unfold does not take uint8: cut the windows with "
    "Tensor.unfold.",
    "must match the size of tensor b": "Shapes are compared from the last dimension on: "
    "`factor[:, None]` puts a dimension behind.",
    "'torch.return_types.": "Several tensors at once come from aminmax, and from min and max with "
    "a dim: take them apart, or use amin and amax.",
    "'Right' object has no attribute": "`convolve` is given a layer that the check has built: read "
    "its x_ruler alone, and call it. What it returns has a column for each output.",
    "first two dimensions of batch2": "A weight of more than two axes came into a product of "
    "matrices: flatten each kernel into a row.",
    "expected m1 and m2 to have the same dtype": "torch calls uint8 `unsigned char` and int8 "
    "`signed char`, and multiplies matrices of one type alone: convert both first.",
}


def advice_on(error: BaseException) -> str:
    """Return what to do about an error, or "".

    >>> advice_on(RuntimeError("expected m1 and m2 to have the same dtype, but"))[:17]
    'torch calls uint8'
    """
    return next((told for part, told in ADVICE.items() if part in str(error)), "")
