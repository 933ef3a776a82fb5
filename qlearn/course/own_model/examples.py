"""Three models in the place of the reader's own, built as the course builds none elsewhere.

Each reads the digits, and each has something that torchao's ``quantize_`` does not reach.
"""

from __future__ import annotations

import torch
from jaxtyping import Float32, Int64
from torch import Tensor, nn

from qlearn.course.digits.shipped import shipped_tensors

PIXELS, LEVELS = 64, 17  # of an image; of a pixel, which is a multiple of 1/16


class PatchEncoder(nn.Module):
    """Tell which digit an image shows: a vision transformer made of torch's own encoder.

    Its patches go through a linear layer of four inputs, and the mean of the tokens goes to the
    head. Three quarters of its attention are in ``in_proj_weight``, which is no linear layer.

    >>> PatchEncoder()(torch.zeros(5, 1, 8, 8)).shape
    torch.Size([5, 10])
    """

    def __init__(self, width: int = 32, depth: int = 2):
        super().__init__()
        self.patch = nn.Linear(4, width)
        self.positions = nn.Parameter(0.02 * torch.randn(16, width))
        layer = nn.TransformerEncoderLayer(
            width, 4, 4 * width, dropout=0.0, activation="gelu", batch_first=True, norm_first=True
        )
        self.encoder = nn.TransformerEncoder(layer, depth, enable_nested_tensor=False)
        self.head = nn.Linear(width, 10)

    def forward(self, x: Float32[Tensor, "n 1 8 8"]) -> Float32[Tensor, "n 10"]:
        """Return the logits of ``n`` images."""
        patches = nn.functional.unfold(x, 2, stride=2).transpose(1, 2)
        return self.head(self.encoder(self.patch(patches) + self.positions).mean(dim=1))


class RowReader(nn.Module):
    """Tell which digit an image shows, from its rows one after the other, by an ``nn.GRU``.

    >>> RowReader()(torch.zeros(5, 1, 8, 8)).shape
    torch.Size([5, 10])
    """

    def __init__(self, width: int = 56):
        super().__init__()
        self.gru = nn.GRU(8, width, batch_first=True)
        self.head = nn.Linear(width, 10)

    def forward(self, x: Float32[Tensor, "n 1 8 8"]) -> Float32[Tensor, "n 10"]:
        """Return the logits of ``n`` images."""
        states, _ = self.gru(x.squeeze(1))
        return self.head(states[:, -1])


class PixelWords(nn.Module):
    """Tell which digit an image shows, its pixels being words: each place and level is one.

    A table gives each word a vector, an einsum with a parameter gathers the places, and an
    ``nn.Bilinear`` multiplies the two halves of what was gathered.

    >>> PixelWords()(torch.zeros(5, 64, dtype=torch.int64)).shape
    torch.Size([5, 10])
    """

    def __init__(self, width: int = 8, views: int = 6):
        super().__init__()
        self.table = nn.Embedding(PIXELS * LEVELS, width)
        self.places = nn.Parameter(torch.randn(PIXELS, views) / 8)
        half = width * views // 2
        self.pairs = nn.Bilinear(half, half, 32)
        self.head = nn.Linear(32, 10)

    def forward(self, words: Int64[Tensor, "n 64"]) -> Float32[Tensor, "n 10"]:
        """Return the logits of ``n`` images, each as the words of :func:`as_words`."""
        gathered = torch.einsum("npw,pv->nvw", self.table(words), self.places).flatten(1)
        first, second = gathered.chunk(2, dim=1)
        return self.head(self.pairs(first, second).relu())


def as_words(images: Float32[Tensor, "n 1 8 8"]) -> Int64[Tensor, "n 64"]:
    """Return for each pixel the number of the word that says its place and its level.

    >>> as_words(torch.ones(1, 1, 8, 8))[0, :2].tolist()
    [16, 33]
    """
    levels = (16 * images).round().to(torch.int64).flatten(1)
    return levels + LEVELS * torch.arange(PIXELS)


MODELS: dict[str, type[nn.Module]] = {
    "encoder": PatchEncoder,
    "rows": RowReader,
    "words": PixelWords,
}


def trained(name: str) -> nn.Module:
    """Return a model of ``MODELS`` as ``data_makers/train_own_models.py`` trained it.

    >>> trained("rows").training
    False
    """
    model = MODELS[name]()
    stored = shipped_tensors("own_models")
    state = {key: stored[f"{name}.{key}"].to(torch.float32) for key in model.state_dict()}
    model.load_state_dict(state)
    return model.eval()
