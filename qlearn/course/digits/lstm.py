"""A network that reads a digit row by row: a convolution, an LSTM and a linear layer."""

from __future__ import annotations

from jaxtyping import Float32
from torch import Tensor, nn

from qlearn.course.digits.shipped import shipped_tensors


class DigitsLSTM(nn.Module):
    """Tell which digit an image shows, from its rows one after the other, by ten logits.

    The convolution slides over the rows, whose eight pixels are its channels; what the LSTM
    holds after the last row goes to the linear layer.

    >>> import torch
    >>> DigitsLSTM()(torch.zeros(5, 8, 8)).shape
    torch.Size([5, 10])
    """

    def __init__(self, channels: int = 16, hidden: int = 64):
        super().__init__()
        self.conv = nn.Conv1d(8, channels, 3, padding=1)
        self.relu = nn.ReLU()
        self.lstm = nn.LSTM(channels, hidden, batch_first=True)
        self.fc = nn.Linear(hidden, 10)

    def forward(self, rows: Float32[Tensor, "n 8 8"]) -> Float32[Tensor, "n 10"]:
        """Return the logits of ``n`` images of eight rows and eight columns."""
        features = self.relu(self.conv(rows.transpose(1, 2))).transpose(1, 2)
        states, _ = self.lstm(features)
        return self.fc(states[:, -1])


def trained_digits_lstm() -> DigitsLSTM:
    """Return the network as ``data_makers/train_digits_lstm.py`` trained it, in eval mode.

    >>> trained_digits_lstm().training
    False
    """
    net = DigitsLSTM()
    net.load_state_dict(shipped_tensors("digits_lstm"))
    return net.eval()
