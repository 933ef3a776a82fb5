"""Whether a recurrent layer of one's own takes its gates in another order."""

from __future__ import annotations

import copy
from itertools import permutations
from typing import Any

import torch
from torch import Tensor, nn

from qlearn.models.diagnosis.roundings import RIGHT
from qlearn.models.diagnosis.runs import comparable, numbers
from qlearn.numbers.metrics import sqnr

GATES = {nn.LSTM: 4, nn.GRU: 3}


def has_other_gates(partner: nn.Module, args: Any, kwargs: Any, ours: Tensor) -> bool:
    """Say whether torch's layer puts out the same once its gates change places.

    >>> layer, other, x = nn.GRU(3, 2), nn.GRU(3, 2), torch.randn(5, 3)
    >>> other.load_state_dict({k: w.roll(2, 0) for k, w in layer.state_dict().items()})
    <All keys matched successfully>
    >>> has_other_gates(layer, (x,), {}, other(x)[0]), has_other_gates(layer, (x,), {}, x)
    (True, False)
    """
    count = GATES.get(type(partner))
    if count is None:
        return False
    for order in list(permutations(range(count)))[1:]:
        changed = copy.deepcopy(partner)
        for name, weight in changed.named_parameters():
            if not name.startswith("weight_hr"):  # which projects what the gates let out
                weight.data = torch.cat([weight.data.chunk(count)[gate] for gate in order])
        found = numbers(changed(*args, **kwargs))
        same = [good for good in found if comparable(good, ours)]
        if any(sqnr(good.double(), ours.double()) >= RIGHT for good in same):
            return True
    return False
