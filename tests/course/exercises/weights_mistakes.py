"""Typical mistakes in the code exercises of the chapter, and what each is told."""

from __future__ import annotations

MOVE = "error * (a @ b) / (b @ b)"
S = "inputs.abs().mean(dim=0)"
WRONG = [
    ("passed_on", " + " + MOVE, "", "You round both to the nearest"),
    ("passed_on", "+ " + MOVE, "- " + MOVE, "to the wrong side"),
    ("passed_on", "/ (b @ b)", "/ (a @ a)", "squares of the first input"),
    ("passed_on", MOVE, "error", "by the error itself"),
    ("passed_on", " / (b @ b)", "", "You leave out the division"),
    ("passed_on", "inputs[:, 0], inputs[:, 1]", "inputs[0], inputs[1]", "rows of the inputs"),
    ("passed_on", "moved.round()", "moved", "is not rounded"),
    ("passed_on", "torch.stack([first, moved.round()])", "moved.round()",
     r"Your weights should have the shape \(2,\)"),
    ("awq_outputs", "weight * s", "weight", "do not multiply the weights"),
    ("awq_outputs", "inputs / s", "inputs", "You do not divide the inputs"),
    ("awq_outputs", "** power", "** -power", "You divide the weights of loud channels"),
    ("awq_outputs", S, "inputs.abs().amax(dim=0)", "the largest size of each channel"),
    ("awq_outputs", S, "inputs.mean(dim=0).abs()", "so that numbers of both signs cancel"),
    ("awq_outputs", " ** power", "", "You leave the power out"),
    ("awq_outputs", "weight * s, group_size=weight.shape[1])",
     "weight, group_size=weight.shape[1])\n    inputs = inputs * s", "Multiply first, then round"),
]  # fmt: skip
