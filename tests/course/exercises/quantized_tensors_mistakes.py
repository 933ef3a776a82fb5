"""Typical mistakes in the code exercises of the chapter, and what each is told."""

from __future__ import annotations

WRONG = [
    ("in_other_steps", "quantize(q.dequantize(), target)", "q.values", "You copy the integers"),
    ("in_other_steps", "quantize(q.dequantize(), target)",
     "(q.values * (q.qparams.scale / target.scale)).round().clamp("
     "target.quant_min, target.quant_max).to(target.dtype)", "You leave out the zero points"),
    ("in_other_steps", "q.dequantize()", "q.values.float()", "You quantize the codes"),
    ("in_other_steps", "quantize(q.dequantize(), target), target)",
     "quantize(q.dequantize(), q.qparams), q.qparams)", "other qparams than `target`"),
    ("in_other_steps", "quantize(q.dequantize(), target)",
     "((q.dequantize() / target.scale).round() + target.zero_point).int().to(target.dtype)",
     "You do not clip"),
    ("in_other_steps", "return QTensor(quantize(q.dequantize(), target), target)",
     "return quantize(q.dequantize(), target)", "Let `in_other_steps` return a QTensor"),
    ("in_other_steps", "return QTensor(", "q.values.add_(1)\n    return QTensor(",
     "changes the tensor that it is given"),
    ("upside_down", "    scale = q.qparams.scale.flip(0)", "    scale = q.qparams.scale",
     "your numbers should be"),
    ("upside_down", "q.qparams.zero_point.flip(0)", "q.qparams.zero_point",
     "The zero points are where they were"),
    ("upside_down", "q.values.flip(0)", "q.values", "and the codes are not"),
    ("upside_down", "QTensor(q.values.flip(0), turned)", "QTensor(q.values.flip(1), q.qparams)",
     "You turn the numbers within each row"),
]  # fmt: skip
