"""An LSTM written with linear layers, so that tools that look for linear layers find them."""

from __future__ import annotations

import copy

import torch
from jaxtyping import Float
from torch import Tensor, nn

from qlearn.checks.models import check_module

State = tuple[Tensor, Tensor]


class LinearLSTM(nn.Module):
    """An ``nn.LSTM``'s weights in linear layers: two for each layer and direction.

    Called as the LSTM, it returns the same to the last digits of float32; the steps run in
    Python, one after the other.

    Raises:
        TypeError: what is given is not an ``nn.LSTM``.
        ValueError: it has projections (``proj_size``).

    >>> lstm = nn.LSTM(3, 5, batch_first=True)
    >>> LinearLSTM(lstm)(torch.zeros(2, 4, 3))[0].shape
    torch.Size([2, 4, 5])
    """

    def __init__(self, lstm: nn.LSTM):
        super().__init__()
        if not isinstance(lstm, nn.LSTM):
            raise TypeError(f"lstm is a {type(lstm).__name__}: pass a torch.nn.LSTM")
        if lstm.proj_size:
            raise ValueError(
                f"the LSTM projects its states to {lstm.proj_size} numbers, which this one cannot: "
                "put a linear layer behind an LSTM without proj_size"
            )
        self.batch_first = lstm.batch_first
        self.width = lstm.hidden_size
        self.directions = 2 if lstm.bidirectional else 1
        names = [
            f"l{layer}{direction}"
            for layer in range(lstm.num_layers)
            for direction in ("", "_reverse")[: self.directions]
        ]
        self.inputs = nn.ModuleList(_linear(lstm, "ih", name) for name in names)
        self.hidden = nn.ModuleList(_linear(lstm, "hh", name) for name in names)
        self.train(lstm.training)

    def forward(
        self, x: Float[Tensor, "..."], state: State | None = None
    ) -> tuple[Float[Tensor, "..."], State]:
        """Return the outputs of all steps, and the last states, as ``nn.LSTM`` does.

        Raises:
            TypeError: ``x`` is not a tensor, such as a ``PackedSequence``.
            ValueError: it has no batch dimension.
        """
        _check_sequences(x)
        x = x if self.batch_first else x.transpose(0, 1)
        if state is None:
            zeros = x.new_zeros(len(self.inputs), x.shape[0], self.width)
            state = zeros, zeros
        last: list[State] = []
        for first in range(0, len(self.inputs), self.directions):
            outputs = []
            for place in range(first, first + self.directions):
                steps, end = self._run(place, x, state[0][place], state[1][place])
                outputs.append(steps)
                last.append(end)
            x = torch.cat(outputs, dim=-1)
        states = torch.stack([h for h, _ in last]), torch.stack([c for _, c in last])
        return (x if self.batch_first else x.transpose(0, 1)), states

    def _run(self, place: int, x: Tensor, h: Tensor, c: Tensor) -> tuple[Tensor, State]:
        """Return the states of one layer in one direction, in the order of the steps."""
        backwards = place % self.directions == 1
        gates = self.inputs[place](x).unbind(dim=1)
        states = []
        for gate in reversed(gates) if backwards else gates:
            i, f, g, o = (gate + self.hidden[place](h)).chunk(4, dim=-1)
            c = f.sigmoid() * c + i.sigmoid() * g.tanh()
            h = o.sigmoid() * c.tanh()
            states.append(h)
        return torch.stack(states[::-1] if backwards else states, dim=1), (h, c)


def with_linear_lstms(model: nn.Module) -> nn.Module:
    """Return a copy of the model in which each ``nn.LSTM`` is a :class:`LinearLSTM`.

    Raises:
        TypeError: ``model`` is not an ``nn.Module``.
        ValueError: it has no LSTM.

    >>> with_linear_lstms(nn.Sequential(nn.LSTM(3, 5)))[0].hidden
    ModuleList(
      (0): Linear(in_features=5, out_features=20, bias=True)
    )
    """
    check_module(model)
    if isinstance(model, nn.LSTM):
        return LinearLSTM(model)
    model = copy.deepcopy(model)
    found = [name for name, module in model.named_modules() if isinstance(module, nn.LSTM)]
    if not found:
        raise ValueError(f"{type(model).__name__} has no nn.LSTM: quantize it as it is")
    for name in found:
        owner, _, attribute = name.rpartition(".")
        lstm = model.get_submodule(name)
        assert isinstance(lstm, nn.LSTM)
        setattr(model.get_submodule(owner), attribute, LinearLSTM(lstm))
    return model


def _check_sequences(x: Tensor) -> None:
    """Refuse what ``nn.LSTM`` takes and this one does not."""
    if not isinstance(x, Tensor):
        raise TypeError(f"x is a {type(x).__name__}: pass a tensor, such as a padded batch")
    if x.dim() != 3:
        raise ValueError(
            f"x has {x.dim()} dimensions, and this LSTM takes 3: sequences, steps and numbers; "
            "for one sequence call x.unsqueeze(0), or x.unsqueeze(1) without batch_first"
        )


def _linear(lstm: nn.LSTM, kind: str, name: str) -> nn.Linear:
    """Return the weights of one name as a linear layer."""
    weight = getattr(lstm, f"weight_{kind}_{name}")
    layer = nn.Linear(weight.shape[1], weight.shape[0], bias=lstm.bias, device="meta")
    state = {"weight": weight.detach().clone()}
    if lstm.bias:
        state["bias"] = getattr(lstm, f"bias_{kind}_{name}").detach().clone()
    layer.load_state_dict(state, assign=True)
    return layer
