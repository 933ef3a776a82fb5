"""torchao's rules for scale and zero point, against torchao itself."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest
import torch

import qlearn
from proofs.draw import Draw
from proofs.per_token import draw_rows
from proofs.torchao_quietly import torchao
from qlearn import choose_qparams, quantize, textbook_qparams
from qlearn.numbers.rules.torchao import torchao_qparams

EPS = 2.0**-23
MAPPINGS = ["symmetric", "symmetric_no_clipping_err", "asymmetric"]


@pytest.mark.parametrize("mapping", MAPPINGS)
@pytest.mark.parametrize("bits", [2, 3, 4, 7, 8])
def test_scale_zero_point_and_codes_are_torchaos(mapping, bits):
    quant_min, quant_max = -(2 ** (bits - 1)), 2 ** (bits - 1) - 1
    x = draw_rows(Draw(bits), 100, 5)
    ours = torchao_qparams(
        x.amin(1), x.amax(1), mapping=mapping, quant_min=quant_min, quant_max=quant_max, axis=0
    )
    rule, block = torchao.MappingType[mapping.upper()], (1, x.shape[1])
    limits = {"quant_min": quant_min, "quant_max": quant_max}
    scale, zero_point = torchao.choose_qparams_affine(x, rule, block, torch.int8, **limits, eps=EPS)
    assert torch.equal(ours.scale, scale)
    assert torch.equal(ours.zero_point, zero_point)
    theirs = torchao.quantize_affine(x, block, scale, zero_point, torch.int8, **limits)
    assert torch.equal(quantize(x, ours), theirs)


RANGES = [(low, high) for low in (-128, -8, -7, -3, -1) for high in (0, 1, 2, 3, 5, 7, 127)]


@pytest.mark.parametrize("mapping", MAPPINGS)
def test_ranges_that_reach_further_to_one_side_have_torchaos_zero_point(mapping):
    x = draw_rows(Draw(1), 100, 5)
    rule = torchao.MappingType[mapping.upper()]
    for low, high in RANGES:
        if high == 0 and mapping == "symmetric_no_clipping_err":
            continue
        limits = {"quant_min": low, "quant_max": high}
        ours = torchao_qparams(x.amin(1), x.amax(1), mapping=mapping, axis=0, **limits)
        wanted = torchao.choose_qparams_affine(x, rule, (1, 5), torch.int8, **limits, eps=EPS)
        assert torch.equal(ours.scale, wanted[0]) and torch.equal(ours.zero_point, wanted[1])
        codes = torchao.quantize_affine(x, (1, 5), *wanted, torch.int8, low, high)
        assert torch.equal(quantize(x, ours), codes)


def test_without_an_eps_torchaos_scale_can_be_smaller():
    x = torch.tensor([[1e-9, -1e-9]])
    scale, _ = torchao.choose_qparams_affine(x, torchao.MappingType.SYMMETRIC, (1, 2), torch.int8)
    assert scale.item() < EPS == torchao_qparams(-1e-9, 1e-9).scale.item()


def test_two_rules_are_the_observers_and_none_is_the_textbooks():
    assert torchao_qparams(-1.0, 3.0) == choose_qparams(-1.0, 3.0, symmetric=True)
    assert torchao_qparams(-1.0, 3.0, mapping="asymmetric") == choose_qparams(-1.0, 3.0)
    # Without clipping errors it is the textbook's, if the number of largest size is positive.
    for x, same in ((torch.tensor([-1.0, 3.0]), True), (torch.tensor([-3.0, 1.0]), False)):
        ours = torchao_qparams(x.min(), x.max(), mapping="symmetric_no_clipping_err")
        assert (ours.scale == textbook_qparams(x).scale) == same


@pytest.mark.parametrize(
    ("arguments", "options", "error", "message"),
    [
        ((-1.0, 1.0), {"mapping": "affine"}, ValueError, "or 'asymmetric', not 'affine'"),
        ((-1.0, 1.0), {"quant_min": 0}, ValueError, "quant_min is 0.*pass a negative one"),
        ((-1.0, 1.0), {"quant_max": 128}, ValueError, "does not fit torch.int8"),
        (
            (-1.0, 1.0),
            {"quant_max": 0, "mapping": "symmetric_no_clipping_err"},
            ValueError,
            "quant_max is 0, but symmetric_no_clipping_err divides",
        ),
        ((1.0, -1.0), {}, ValueError, "swap them"),
        (("a", 1.0), {}, TypeError, "min_val"),
    ],
)
def test_mistakes_are_named(arguments, options, error, message):
    with pytest.raises(error, match=message):
        torchao_qparams(*arguments, **options)


def test_importing_qlearn_never_imports_torchao():
    """Not the package, not the widgets, nor the modules that are about torchao."""
    code = (
        "import sys, qlearn.integers.per_token, qlearn.numbers.rules.torchao\n"
        "import qlearn.course.widgets\n"
        "print([name for name in sys.modules if name.startswith('torchao')])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout == "[]\n"


def test_nothing_in_qlearn_names_torchao_in_an_import():
    folder = Path(qlearn.__file__).parent
    for file in set(folder.rglob("*.py")) - set((folder / "course").rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            names = [alias.name for alias in getattr(node, "names", []) if hasattr(alias, "name")]
            names.append(getattr(node, "module", None) or "")
            assert not any(n.split(".")[0] == "torchao" for n in names), file
