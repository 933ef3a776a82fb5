"""A rotated language model: the same function, by float64 too, and no channel that stands out."""

from __future__ import annotations

import copy
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from qlearn.course import normal
from qlearn.course.language.layers import layer_inputs, linear_layers
from qlearn.course.language.net import LanguageModel
from qlearn.course.language.outliers import with_outliers
from qlearn.language import hadamard, rotate
from qlearn.language.rotate import Rotation

TOKENS = torch.arange(60).reshape(2, 30) * 4 % 251
TEXT = bytes(range(256)) * 2


def untrained(seed: int = 0) -> Any:
    """Return a model with weights and gains of the usual sizes, without a training."""
    model, generator = LanguageModel(), torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in model.parameters():
            drawn = normal(*parameter.shape, generator=generator)
            shrunk = drawn / parameter.shape[-1] ** 0.5
            parameter.copy_(shrunk if parameter.ndim == 2 else 1 + 0.3 * drawn)
    return model.eval()


def outputs(model: nn.Module) -> Tensor:
    with torch.no_grad():
        return model(TOKENS)


def test_the_function_stays_to_rounding() -> None:
    model = untrained()
    logits = outputs(model)
    # Sums of up to 512 numbers in float32, in four layers, in another order
    torch.testing.assert_close(outputs(rotate(model)), logits, rtol=0, atol=1e-5)
    assert torch.equal(outputs(model), logits), "the model that was passed has changed"


def test_the_function_stays_in_float64() -> None:
    model = untrained(1).double()
    apart = (outputs(rotate(model)) - outputs(model)).abs().max()
    assert apart < 1e-13 * 4 * outputs(model).abs().max()


def test_a_wrong_rotation_is_noticed() -> None:
    model = untrained(2)
    turned: Any = rotate(model)
    with torch.no_grad():
        turned.layers[2].self_attn.o_proj.weight.neg_()
    assert (outputs(turned) - outputs(model)).abs().max() > 0.1


def test_a_writer_with_a_bias_and_norms_without_gains_are_rotated_too() -> None:
    model = untrained(3).double()
    for layer in model.layers:
        layer.input_layernorm = nn.RMSNorm(128, eps=1e-5, elementwise_affine=False)
        for part, names in {
            layer.self_attn: ("q_proj", "o_proj"),
            layer.mlp: ("down_proj",),
        }.items():
            for name in names:
                bias = normal(128, generator=torch.Generator().manual_seed(4)).double()
                getattr(part, name).bias = nn.Parameter(bias)
    torch.testing.assert_close(outputs(rotate(model)), outputs(model), rtol=0, atol=1e-11)


def test_weights_are_rounded_once_and_to_their_dtype() -> None:
    model = untrained(5)
    turned: Any = rotate(copy.deepcopy(model).bfloat16())
    exact: Any = rotate(copy.deepcopy(model).bfloat16().double())
    for name, layer in linear_layers(turned).items():
        assert layer.weight.dtype == torch.bfloat16
        assert torch.equal(layer.weight, exact.get_submodule(name).weight.bfloat16())
    assert turned.layers[0].mlp.down_proj[0].matrix.dtype == torch.bfloat16


def test_gains_are_gone_and_rotations_stand_before_down_alone() -> None:
    turned: Any = rotate(untrained(6))
    norms = [module for module in turned.modules() if isinstance(module, nn.RMSNorm)]
    assert len(norms) == 9
    assert all((norm.weight == 1).all() for norm in norms)
    rotations = [name for name, m in turned.named_modules() if isinstance(m, Rotation)]
    assert rotations == [f"layers.{i}.mlp.down_proj.0" for i in range(4)]


def test_inputs_of_layers_are_the_old_ones_rotated() -> None:
    model: Any = with_outliers(untrained(7), 64)
    before, after = layer_inputs(model, TEXT), layer_inputs(rotate(model), TEXT)
    old, new = (found["layers.1.self_attn.q_proj"] for found in (before, after))
    gains = model.layers[1].input_layernorm.weight.detach()
    torch.testing.assert_close(old / gains @ hadamard(128), new, rtol=0, atol=1e-5)
    down, turned = before["layers.1.mlp.down_proj"], after["layers.1.mlp.down_proj.1"]
    torch.testing.assert_close(down @ hadamard(512), turned, rtol=0, atol=1e-4)


def test_no_channel_stands_out() -> None:
    model = with_outliers(untrained(8), 64)
    for found, low, high in ((model, 10, 1000), (rotate(model), 1, 4)):
        size = layer_inputs(found, TEXT)["layers.0.mlp.gate_proj"].abs().amax(0)
        assert low < size.max() / size.median() < high


# ------------------------------------------------------------------------------- what does not fit


def test_a_missing_part_is_named() -> None:
    with pytest.raises(TypeError, match=r"Linear has no embed_tokens, but rotate finds the parts"):
        rotate(nn.Linear(4, 4))
    model = untrained()
    del model.layers[3].mlp.gate_proj
    with pytest.raises(TypeError, match=r"Layer has no mlp\.gate_proj.*self_attn\.q_proj"):
        rotate(model)
    with pytest.raises(TypeError, match="model is a str: pass a torch.nn.Module"):
        rotate("llama")  # type: ignore[arg-type]
    model = untrained()
    model.layers[1].self_attn.q_proj = nn.LazyLinear(128)
    with pytest.raises(ValueError, match=r"layers\.1\.self_attn\.q_proj\.weight has no shape yet"):
        rotate(model)


@pytest.mark.parametrize("training", [True, False])
def test_all_parts_stay_in_training_mode_or_out_of_it(training: bool) -> None:
    turned = rotate(untrained().train(training))
    assert {part.training for part in turned.modules()} == {training}


def test_a_layer_norm_is_refused() -> None:
    model = untrained()
    model.layers[1].input_layernorm = nn.LayerNorm(128)
    with pytest.raises(TypeError, match="input_layernorm is a LayerNorm.*takes off the mean"):
        rotate(model)


def test_a_rotated_model_is_refused() -> None:
    with pytest.raises(TypeError, match=r"down_proj is a Sequential and must be an nn\.L"):
        rotate(rotate(untrained()))


def test_tied_weights_are_refused() -> None:
    model = untrained()
    model.lm_head.weight = model.embed_tokens.weight
    with pytest.raises(ValueError, match=r"share one weight.*give it a copy first"):
        rotate(model)
    model.lm_head.weight = nn.Parameter(model.lm_head.weight.detach().clone())
    torch.testing.assert_close(outputs(rotate(model)), outputs(model), rtol=0, atol=1e-5)


@pytest.mark.parametrize("part", ["input_layernorm", "mlp.up_proj", "mlp"])
def test_a_part_of_two_layers_is_refused(part: str) -> None:
    model = untrained()
    first, second = model.layers[:2]
    second.set_submodule(part, first.get_submodule(part))
    with pytest.raises(ValueError, match=rf"layers\.0\.{part}.* and layers\.1\.{part}.* share one"):
        rotate(model)
    second.set_submodule(part, copy.deepcopy(first.get_submodule(part)))
    torch.testing.assert_close(outputs(rotate(model)), outputs(model), rtol=0, atol=1e-5)


def test_the_last_norm_is_no_layers_norm() -> None:
    model = untrained()
    model.norm = model.layers[0].input_layernorm
    with pytest.raises(ValueError, match=r"norm and layers\.0\.input_layernorm share one weight"):
        rotate(model)


def test_a_width_that_is_no_power_of_two_is_refused() -> None:
    model = untrained()
    for layer in model.layers:
        layer.mlp.gate_proj = nn.Linear(128, 384, bias=False)
        layer.mlp.up_proj = nn.Linear(128, 384, bias=False)
        layer.mlp.down_proj = nn.Linear(384, 128, bias=False)
    with pytest.raises(ValueError, match="n is 384.* pad to 512, or rotate blocks of 128"):
        rotate(model)
