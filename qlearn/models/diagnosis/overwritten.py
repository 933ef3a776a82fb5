"""Whether the next call of a model changes what the last one put out."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor, nn

from qlearn.models.diagnosis import symptoms
from qlearn.models.diagnosis.case import Case
from qlearn.models.diagnosis.finding import Finding
from qlearn.models.diagnosis.names import listed
from qlearn.models.diagnosis.runs import Inputs, cast_for, returned, row_count


def overwritten(case: Case) -> Iterator[Finding]:
    """Find outputs that lie in a layer's own memory, into which its next call writes."""
    count = row_count(case.inputs) or 0
    turned = case.rows(*reversed(range(count))) if count > 1 else None
    if turned is None or not _is_overwritten(case.quantized, case.inputs, turned):
        return
    if case.model is not None:
        pair = (cast_for(case.model, inputs) for inputs in (case.inputs, turned))
        if _is_overwritten(case.model, *pair):
            return
    buffers = _buffers_of(case.quantized, case.inputs)
    at = f", {listed(buffers)}" if buffers else ""
    yield Finding(
        symptoms.EACH_TIME,
        f"The next call changes what the last one returned: it lies in memory of a layer{at}. "
        "Return a copy of it.",
        is_note=case.model is None,  # a float model may do so, too
    )


def _is_overwritten(model: nn.Module, inputs: Inputs, others: Inputs) -> bool:
    """Call a model twice, and say whether the first result changed."""
    first = returned(model, inputs)
    kept = [x.clone() for x in first]
    returned(model, others)
    return not all(map(torch.equal, (x.nan_to_num() for x in first), map(torch.nan_to_num, kept)))


def _buffers_of(model: nn.Module, inputs: Inputs) -> list[str]:
    """Return the buffers in whose memory the results lie."""
    places = {x.untyped_storage().data_ptr() for x in returned(model, inputs)}
    known = ((name, buffer) for name, buffer in model.named_buffers() if type(buffer) is Tensor)
    return [name for name, buffer in known if buffer.untyped_storage().data_ptr() in places]
