"""Typical mistakes in the code exercises of the chapter, and what each is told."""

from __future__ import annotations

ROUNDED = "return fake_quantize(x, ruler)"

WRONG = [
    ("code_changes", ".clamp(-2, 1)", "", "marks that do not exist"),
    ("code_changes", "torch.round(path / step).clamp(-2, 1)", "path", "only a new code is"),
    ("code_changes", "torch.round", "torch.trunc", "You cut the fraction off"),
    ("code_changes", "torch.round", "torch.floor", "You round down"),
    ("code_changes", "codes[:-1]", "codes[0]", "with the first one"),
    ("code_changes", "(codes[1:] != codes[:-1]).sum(0)",
     "torch.tensor([len(column.unique()) - 1 for column in codes.T])", "how many codes a weight"),
    ("code_changes", "torch.round(path / step).clamp(-2, 1)",
     "torch.round(path.clamp(-2, 1) / step)", "You clamp the weights"),
    ("code_changes", "(codes[1:] != codes[:-1]).sum(0)", "(codes[1:] - codes[:-1]).abs().sum(0)",
     "Your counts should hold integers"),
    ("code_changes", "(codes[1:] != codes[:-1]).sum(0)", "codes.int().diff(dim=0).abs().sum(0)",
     "a jump by two codes is one change"),
    ("code_changes", ".sum(0)", ".sum(1)", "should have the shape"),
    ("WatchedInput", "if self.training:", "if True:", "still learns .* should be 347, not 35"),
    ("WatchedInput", "if self.training:", "if not self.training:", "the other way round"),
    ("WatchedInput", "if self.training:", "if False:", "in the training it should follow"),
    ("WatchedInput", ROUNDED, f"{ROUNDED} if self.training else x", "In eval mode nothing is"),
    ("WatchedInput", ROUNDED, f"{ROUNDED} if not self.training else x", "cannot get used to it"),
    ("WatchedInput", "if self.training:", "if self.training or highest <= 1:",
     "^With a hot pixel .* should be 347, not 348"),
    ("WatchedInput", ROUNDED, "return", "returns nothing"),
]  # fmt: skip

RIGHT = [
    ("code_changes", "(codes[1:] != codes[:-1]).sum(0)", "codes.diff(dim=0).count_nonzero(dim=0)"),
    ("code_changes", "(codes[1:] != codes[:-1]).sum(0)",
     "torch.tensor([sum(a != b for a, b in zip(c, c[1:])) for c in codes.T.tolist()])"),
    ("WatchedInput", "x.detach().max()", "x.max().item()"),
    ("WatchedInput", "self.end + 0.1 * (highest - self.end)",
     "torch.lerp(self.end, highest, 0.1)"),
]  # fmt: skip
