"""What the chapter on torchao says of it without showing it."""

import copy
import re
import warnings
from pathlib import Path

import nbformat
import pytest
import torch
from torch import nn

from proofs.torchao_quietly import torchao

CHAPTER = Path(__file__).resolve().parents[2] / "book" / "today" / "torchao_and_pt2e.ipynb"
TABLE, BAG = nn.Embedding, nn.EmbeddingBag


@pytest.fixture(scope="module")
def chapter() -> str:
    cells = nbformat.read(CHAPTER, as_version=4).cells
    return "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")


@pytest.fixture(scope="module")
def short_table(chapter) -> set[str]:
    """The names in the second column of the chapter's tables."""
    rows = [line.split("|") for line in chapter.splitlines() if line.count("|") == 4]
    return {name for row in rows for name in re.findall(r"`(\w+)", row[2])}


def test_reduce_range_is_off_unless_asked_for():
    assert torchao.Int8DynamicActivationInt8WeightConfig().reduce_range is False


def test_a_convolution_with_one_input_channel_cannot_be_narrowed():
    config = torchao.IntxWeightOnlyConfig(torch.int4, torchao.PerAxis(0))
    one, two = (nn.Sequential(nn.Conv2d(channels, 4, 3)) for channels in (1, 2))
    torchao.quantize_(two, config, filter_fn=lambda m, _: isinstance(m, nn.Conv2d))
    with pytest.raises(RuntimeError, match="shape .* is invalid for input of size 1"):
        torchao.quantize_(one, config, filter_fn=lambda m, _: isinstance(m, nn.Conv2d))


def test_an_embedding_is_reached_if_the_filter_names_it():
    config, tokens = torchao.Int8WeightOnlyConfig(), torch.arange(9)
    plain = nn.Sequential(nn.Embedding(9, 64)).requires_grad_(False)
    left, reached = copy.deepcopy(plain), copy.deepcopy(plain)
    torchao.quantize_(left, config)
    assert type(left[0].weight) is nn.Parameter
    torchao.quantize_(reached, config, filter_fn=lambda m, _: isinstance(m, nn.Embedding))
    weight = reached[0].weight
    assert weight.qdata.dtype == torch.int8 and not weight.zero_point.any()
    assert ((reached(tokens) - plain(tokens)).abs() <= 0.501 * weight.scale).all()


def test_an_asymmetric_config_gives_each_token_a_zero_point():
    layer = nn.Sequential(nn.Linear(8, 4)).requires_grad_(False)
    x = torch.rand(3, 8)
    exact, errors = layer(x), []
    for mapping in (torchao.MappingType.SYMMETRIC, torchao.MappingType.ASYMMETRIC):
        model = nn.Sequential(nn.Linear(8, 4)).requires_grad_(False)
        model.load_state_dict(layer.state_dict())
        config = torchao.Int8DynamicActivationInt8WeightConfig(
            act_mapping_type=mapping, set_inductor_config=False, reduce_range=True
        )
        torchao.quantize_(model, config)
        errors.append((model(x) - exact).abs().mean())
    assert errors[1] < errors[0]


def small_network():
    return nn.Sequential(
        nn.Conv2d(1, 4, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(4, 2)
    ).eval()


@pytest.fixture(scope="module")
def prepared():
    """A small network as a graph of PT2E, with its observers."""
    with warnings.catch_warnings(action="ignore"):  # of what the import itself imports
        from torchao.quantization.pt2e.quantize_pt2e import prepare_pt2e
        from torchao.quantization.pt2e.quantizer import x86_inductor_quantizer as x86

    quantizer = x86.X86InductorQuantizer()
    quantizer.set_global(x86.get_default_x86_inductor_quantization_config())
    with warnings.catch_warnings(action="ignore"):
        graph = torch.export.export(small_network(), (torch.rand(2, 1, 4, 4),)).module()
        return prepare_pt2e(graph, quantizer)


def observed(graph) -> dict[str, int]:
    """Which observer stands behind each tensor of a prepared graph."""
    return {
        node.args[0].name.split("_default")[0]: id(graph.get_submodule(node.target))
        for node in graph.graph.nodes
        if node.op == "call_module" and "activation_post_process" in node.target
    }


def test_convolution_pooling_and_flattening_share_one_observer(prepared):
    found = observed(prepared)
    assert found["relu"] == found["max_pool2d"] == found["flatten"]
    assert len(set(found.values())) == len(found) - 2


def test_in_fx_flattening_has_an_observer_of_its_own():
    from torch.ao import quantization as tq
    from torch.ao.quantization.quantize_fx import prepare_fx

    mapping = tq.QConfigMapping().set_global(tq.get_default_qconfig("fbgemm"))
    with warnings.catch_warnings(action="ignore"):
        graph = prepare_fx(small_network(), mapping, (torch.rand(2, 1, 4, 4),))
    _, relu, pool, flatten, _ = observed(graph).values()
    assert relu == pool != flatten


def test_a_graph_is_moved_to_training_by_a_function(prepared):
    for switch in (prepared.train, prepared.eval):
        with pytest.raises(NotImplementedError, match="move_exported_model_to_train"):
            switch()


def test_a_graph_clamps_where_an_old_kernel_does_not():
    with warnings.catch_warnings(action="ignore"):  # of quantized tensors, and of the import
        import torchao.quantization.pt2e  # noqa: F401 - registers the operator

        old = torch.quantize_per_tensor(torch.tensor([7.0]), 0.05, 0, torch.quint8)
    of_graphs = torch.ops.quantized_decomposed.quantize_per_tensor
    new = of_graphs(torch.tensor([7.0, 20.0]), 0.05, 0, 0, 127, torch.uint8)
    all_codes = of_graphs(torch.tensor([7.0, 20.0]), 0.05, 0, 0, 255, torch.uint8)
    assert old.int_repr().tolist() == [140] and new.tolist() == [127, 127]
    assert all_codes.tolist() == [140, 255]


@pytest.mark.parametrize("vnni", [False, True], ids=["without VNNI", "with VNNI"])
def test_should_reduce_range_asks_the_processor(monkeypatch, vnni):
    from torchao.utils import should_reduce_range

    monkeypatch.setattr("torchao.utils._cpu_is_vnni_supported", lambda: vnni)
    assert should_reduce_range(torch.device("cpu")) is not vnni


def test_with_one_bit_every_weight_becomes_zero():
    model = nn.Sequential(nn.Linear(32, 4))
    torchao.quantize_(model, torchao.IntxWeightOnlyConfig(torch.int1, torchao.PerGroup(16)))
    assert not model[0].weight.qdata.any()


@pytest.mark.parametrize(
    "config", ["Int8DynamicActivationInt8WeightConfig", "Int8WeightOnlyConfig"]
)
def test_the_configs_for_int8_are_not_for_training(config):
    with warnings.catch_warnings(action="ignore"):  # of what the import itself imports
        from torchao.quantization.qat import QATConfig

    model = nn.Sequential(nn.Linear(32, 4))
    with pytest.raises(ValueError, match="Unexpected base config: Int8"):
        torchao.quantize_(model, QATConfig(getattr(torchao, config)(), step="prepare"))


@pytest.mark.parametrize(
    "config",
    ["Int4WeightOnlyConfig", "IntxWeightOnlyConfig", "Float8DynamicActivationInt4WeightConfig"],
)
def test_configs_of_four_bits_are_for_training(config):
    with warnings.catch_warnings(action="ignore"):  # of what the import itself imports
        from torchao.quantization.qat import QATConfig

    options = {"weight_dtype": torch.int2} if "Intx" in config else {}
    model = nn.Sequential(nn.Linear(256, 4))
    torchao.quantize_(model, QATConfig(getattr(torchao, config)(**options), step="prepare"))
    assert type(model[0]).__name__ == "FakeQuantizedLinear"


def test_a_config_of_one_bit_is_not_for_training():
    with warnings.catch_warnings(action="ignore"):  # of what the import itself imports
        from torchao.quantization.qat import QATConfig

    base = torchao.IntxWeightOnlyConfig(torch.int1, torchao.PerGroup(16))
    with pytest.raises(AssertionError, match=r"Only int2\+"):
        torchao.quantize_(nn.Sequential(nn.Linear(32, 4)), QATConfig(base, step="prepare"))


def test_scales_of_few_bits_can_be_smaller_than_an_observers():
    model = nn.Sequential(nn.Linear(32, 4)).requires_grad_(False)
    model[0].weight.mul_(1e-9)
    torchao.quantize_(model, torchao.IntxWeightOnlyConfig(torch.int4, torchao.PerGroup(16)))
    assert (model[0].weight.scale < 2**-23).all()


def test_each_new_name_is_where_the_chapter_says(short_table):
    with warnings.catch_warnings(action="ignore"):  # of what the import itself imports
        from torchao.quantization import pt2e
        from torchao.quantization.pt2e import quantize_pt2e
        from torchao.quantization.pt2e.quantizer import x86_inductor_quantizer
    homes = {
        r"quantize_|\w+Config|\w+_affine": torchao,
        r"\w+_pt2e": quantize_pt2e,
        r"get_\w*x86\w+": x86_inductor_quantizer,
        r"\w+Observer|\w*FakeQuantize": pt2e,
    }
    named = {(name, kind) for name in short_table for kind in homes if re.fullmatch(kind, name)}
    assert len(named) > 10
    assert [name for name, kind in named if not hasattr(homes[kind], name)] == []


OLD_CODE = """
import torch.quantization
from torch import quantization
from torch.ao import quantization as tq
from torch.ao.quantization import quantize_fx
from torch.nn.quantized import Linear
import torch.nn.intrinsic.qat
q = torch.quantize_per_tensor(x, 0.1, 0, torch.qint8)
y = torch.fake_quantize_per_channel_affine(x, s, z, 0, -128, 127)
y = torch.ops.quantized.add(q, q, 0.1, 0)
torch.backends.quantized.engine = "x86"
"""
NEW_CODE = """
from torchao.quantization import quantize_
from torchao.quantization.pt2e.quantize_pt2e import prepare_pt2e
quantize_(model, Int8WeightOnlyConfig())
"""


def test_the_search_of_the_chapter_finds_old_code_and_no_new_code(chapter):
    pattern = re.search(r'`grep -rnE "(.+)" \.`', chapter)[1]
    assert [line for line in OLD_CODE.split("\n")[1:-1] if not re.search(pattern, line)] == []
    assert not re.search(pattern, NEW_CODE)


@pytest.mark.parametrize(
    ("engine", "most"), [("x86", 127), ("fbgemm", 127), ("qnnpack", 255), ("onednn", 255)]
)
def test_two_of_the_old_engines_had_half_of_the_codes(engine, most):
    from torch.ao.quantization import get_default_qconfig

    with warnings.catch_warnings(action="ignore"):
        observer = get_default_qconfig(engine).activation()
    assert (observer.quant_min, observer.quant_max) == (0, most)


def test_a_table_of_four_bits_can_be_moved_and_a_bag_cannot():
    config, tokens = torchao.IntxWeightOnlyConfig(torch.int4, torchao.PerAxis(0)), torch.arange(9)
    models = [nn.Sequential(kind(9, 64)).requires_grad_(False) for kind in (TABLE, BAG)]
    for model in models:
        torchao.quantize_(model, config, filter_fn=lambda m, _: isinstance(m, (TABLE, BAG)))
    assert models[0](tokens).shape == (9, 64)
    assert models[0][0].weight.qdata.shape == (9, 64)  # a byte each
    with pytest.raises(NotImplementedError, match="_embedding_bag"):
        models[1](tokens.reshape(3, 3))


def test_the_old_table_of_four_bits_returns_rows_that_are_too_short():
    from torch.ao import quantization as tq

    recipe = {TABLE: tq.float_qparams_weight_only_qconfig_4bit}
    with warnings.catch_warnings(action="ignore"):
        model = tq.quantize_dynamic(nn.Sequential(TABLE(9, 64)), recipe)
        assert model[0].weight().dtype == torch.quint4x2
        assert model(torch.arange(9)).shape == (9, 28)


@pytest.mark.parametrize("operator", ["qconv_pointwise", "qlinear_pointwise"])
def test_a_compiled_layer_is_not_told_where_its_codes_end(operator):
    taken = {
        argument.name
        for name in getattr(torch.ops.onednn, operator).overloads()
        for argument in getattr(getattr(torch.ops.onednn, operator), name)._schema.arguments
    }
    assert {"output_scale", "output_zero_point", "output_dtype"} <= taken
    assert not [name for name in taken if "max" in name or "min" in name]
