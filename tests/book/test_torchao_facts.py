"""What the chapter on torchao says of it without showing it."""

import copy
import warnings

import pytest
import torch
from torch import nn

from proofs.torchao_quietly import torchao


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


def test_convolution_pooling_and_flattening_share_one_observer():
    with warnings.catch_warnings(action="ignore"):  # of what the import itself imports
        from torchao.quantization.pt2e.quantize_pt2e import prepare_pt2e
        from torchao.quantization.pt2e.quantizer import x86_inductor_quantizer as x86

    net = nn.Sequential(
        nn.Conv2d(1, 4, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(4, 2)
    )
    images = torch.rand(2, 1, 4, 4)
    quantizer = x86.X86InductorQuantizer()
    quantizer.set_global(x86.get_default_x86_inductor_quantization_config())
    with warnings.catch_warnings(action="ignore"):
        graph = torch.export.export(net.eval(), (images,)).module()
        prepared = prepare_pt2e(graph, quantizer)
    observed = {
        node.args[0].name.split("_default")[0]: id(prepared.get_submodule(node.target))
        for node in prepared.graph.nodes
        if node.op == "call_module" and "activation_post_process" in node.target
    }
    assert observed["relu"] == observed["max_pool2d"] == observed["flatten"]
    assert len(set(observed.values())) == len(observed) - 2


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


def test_scales_of_few_bits_can_be_smaller_than_an_observers():
    model = nn.Sequential(nn.Linear(32, 4)).requires_grad_(False)
    model[0].weight.mul_(1e-9)
    torchao.quantize_(model, torchao.IntxWeightOnlyConfig(torch.int4, torchao.PerGroup(16)))
    assert (model[0].weight.scale < 2**-23).all()
