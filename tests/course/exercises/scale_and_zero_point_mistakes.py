"""Typical mistakes in the code exercises of the chapter, and what each is told."""

from __future__ import annotations

STRETCHED = "x_min, x_max = min(x_min, 0.0), max(x_max, 0.0)"
WRONG = [
    ("choose_affine", STRETCHED, "pass", "stretch the range first"),
    ("choose_affine", "/ 255", "/ 256", "between 256 marks lie 255 steps"),
    ("choose_affine", "-128 - round", "-round", "Your zero point counts from 0"),
    ("choose_affine", "-128 - round", "-128 + round", "Your zero point goes the wrong way"),
    ("choose_affine", "round(", "int(", "You cut the fraction of the zero point off"),
    ("choose_affine", "-128 - round(x_min / scale)", "127 - round(x_max / scale)",
     "You count from the last code"),
    ("choose_affine", "max((x_max - x_min) / 255, 2.0**-23)", "(x_max - x_min) / 255",
     "With zeros alone, it stops in line .* ZeroDivisionError"),
    ("choose_affine", "max((x_max - x_min) / 255, 2.0**-23)", "(x_max - x_min) / 255 or 2.0**-23",
     "^You raise only a scale of 0.*-0.000001 to 0"),
    ("choose_affine", "max((x_max - x_min) / 255, 2.0**-23)\n"
     "    return scale, -128 - round(x_min / scale)",
     "(x_max - x_min) / 255 or 2.0**-23\n"
     "    return max(scale, 2.0**-23), -128 - round(x_min / scale)",
     "^You compute the zero point before you raise the scale"),
    ("choose_affine", "max(x_max, 0.0)", "x_max", "You stretch the range on its lower end|"
     "zero point should be"),
    ("choose_affine", "return scale, -128 - round(x_min / scale)", "return scale",
     "Return 2 results: the scale and the zero point"),
    ("mean_by_codes", "(codes - offset)", "(codes + 128 + pixels.min() / scale)",
     "Rounding errors have both signs"),
    ("mean_by_codes", ").round()\n    codes = (pixels / scale).round() + offset",
     ")\n    codes = (pixels / scale + offset).round()", "A zero point is a code"),
    ("mean_by_codes", "(-128 - pixels.min() / scale).round()", "-128 - pixels.min() / scale",
     "Your codes are no whole numbers"),
    ("mean_by_codes", "(scale * (codes - offset)).mean(dim=1)", "pixels.mean(dim=1)",
     "That is the mean of the pixels"),
    ("mean_by_codes", "mean(dim=1)", "mean(dim=0)", "should have the shape"),
]  # fmt: skip

RIGHT = [
    ("choose_affine", "x_min, x_max = min(x_min, 0.0), max(x_max, 0.0)\n"
     "    scale = max((x_max - x_min) / 255, 2.0**-23)\n"
     "    return scale, -128 - round(x_min / scale)",
     "x_min, x_max = x_min.clamp(max=0), x_max.clamp(min=0)\n"
     "    scale = ((x_max - x_min) / 255).clamp(min=2.0**-23)\n"
     "    return scale, -128 - (x_min / scale).round()"),
    ("choose_affine", "return scale, -128 - round(x_min / scale)",
     "return torch.tensor([scale, round(-128 - x_min / scale)])"),
    ("mean_by_codes", "(scale * (codes - offset)).mean(dim=1)",
     "scale * (codes.mean(dim=1) - offset)"),
    ("mean_by_codes", "return (scale * (codes - offset)).mean(dim=1)",
     "import qlearn\n    ends = pixels.min(), pixels.max()\n"
     "    return qlearn.fake_quantize(pixels, qlearn.choose_qparams(*ends)).mean(1)"),
]  # fmt: skip
