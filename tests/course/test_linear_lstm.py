"""An LSTM of linear layers: torch's LSTM is the oracle."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from qlearn.course import trained_digits_lstm
from qlearn.course.linear_lstm import LinearLSTM, with_linear_lstms

KINDS = {
    "plain": {},
    "batch first": {"batch_first": True},
    "both directions": {"bidirectional": True},
    "three layers": {"num_layers": 3},
    "no bias": {"bias": False},
    "everything": {"bidirectional": True, "num_layers": 2, "batch_first": True},
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("given", [False, True], ids=["from zero", "from a state"])
def test_equals_torchs(kind: str, given: bool) -> None:
    lstm = nn.LSTM(3, 5, **KINDS[kind])
    x = torch.randn(4, 2, 3)
    n = x.shape[0 if lstm.batch_first else 1]
    places = lstm.num_layers * (2 if lstm.bidirectional else 1)
    state = (torch.randn(places, n, 5), torch.randn(places, n, 5)) if given else None
    found, (h, c) = LinearLSTM(lstm)(x, state)
    exact, (hidden, cell) = lstm(x, state)
    # The same sums in another order: float32 has 24 bits.
    for ours, theirs in ((found, exact), (h, hidden), (c, cell)):
        torch.testing.assert_close(ours, theirs, rtol=1e-5, atol=1e-6)


def test_directions_that_are_swapped_are_seen() -> None:
    lstm = nn.LSTM(3, 5, bidirectional=True)
    ours = LinearLSTM(lstm)
    ours.hidden = nn.ModuleList(reversed(ours.hidden))
    x = torch.randn(4, 2, 3)
    assert not torch.allclose(ours(x)[0], lstm(x)[0], atol=1e-3)


def test_a_model_is_copied() -> None:
    model = trained_digits_lstm()
    ours = with_linear_lstms(model)
    assert isinstance(model.lstm, nn.LSTM) and isinstance(ours.lstm, LinearLSTM)
    x = torch.rand(6, 8, 8)
    torch.testing.assert_close(ours(x), model(x), rtol=1e-5, atol=1e-5)
    assert isinstance(with_linear_lstms(nn.LSTM(2, 2)), LinearLSTM)


def test_what_is_no_lstm_is_refused() -> None:
    with pytest.raises(TypeError, match="lstm is a GRU: pass a torch.nn.LSTM"):
        LinearLSTM(nn.GRU(2, 2))
    with pytest.raises(ValueError, match="projects its states to 2 numbers"):
        LinearLSTM(nn.LSTM(3, 5, proj_size=2))
    with pytest.raises(ValueError, match="Sequential has no nn.LSTM: quantize it as it is"):
        with_linear_lstms(nn.Sequential(nn.GRU(2, 2)))
    with pytest.raises(TypeError, match="model is a dict"):
        with_linear_lstms({})


@pytest.mark.parametrize("batch_first", [True, False])
def test_inputs_without_a_batch_are_refused(batch_first: bool) -> None:
    """Four times the width in steps: without the check the shapes would fit."""
    lstm = nn.LSTM(3, 4, batch_first=batch_first)
    ours, x = LinearLSTM(lstm), torch.randn(16, 3)
    with pytest.raises(ValueError, match="x has 2 dimensions, and this LSTM takes 3") as refused:
        ours(x)
    axis = 0 if batch_first else 1
    assert f"x.unsqueeze({axis})" in str(refused.value)
    torch.testing.assert_close(
        ours(x.unsqueeze(axis))[0].squeeze(axis), lstm(x)[0], rtol=1e-5, atol=1e-6
    )


def test_packed_sequences_are_refused() -> None:
    packed = nn.utils.rnn.pack_sequence([torch.randn(3, 3), torch.randn(2, 3)])
    with pytest.raises(TypeError, match="x is a PackedSequence: pass a tensor"):
        LinearLSTM(nn.LSTM(3, 4))(packed)


@pytest.mark.parametrize("training", [True, False])
def test_its_parts_are_in_the_mode_of_the_lstm(training: bool) -> None:
    parts = LinearLSTM(nn.LSTM(3, 5).train(training)).modules()
    assert {part.training for part in parts} == {training}
