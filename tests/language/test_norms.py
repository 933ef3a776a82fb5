"""Which linear layers read which norm: changing a norm changes the inputs of these alone."""

import torch
from torch import nn

from qlearn.course.language.shipped import load_language_model
from qlearn.language.norms import norms_and_readers
from qlearn.models.calls import layer_calls


def test_only_its_readers_hear_a_norm():
    model = load_language_model()
    tokens = torch.arange(16)[None]
    block = model.layers[0]
    names = {id(module): name for name, module in block.named_modules()}
    linears = [name for name, layer in block.named_modules() if isinstance(layer, nn.Linear)]
    pairs = list(norms_and_readers(block))
    assert len(pairs) == 2
    for norm, readers in pairs:
        prefix = "layers.0."
        before = layer_calls(model, tokens, [prefix + name for name in linears])
        kept = norm.weight.data.clone()
        norm.weight.data *= 2
        after = layer_calls(model, tokens, [prefix + name for name in linears])
        norm.weight.data = kept
        doubled = [
            name
            for name in linears
            if torch.equal(after[prefix + name][0].x, 2 * before[prefix + name][0].x)
        ]
        assert doubled == [names[id(reader)] for reader in readers]
