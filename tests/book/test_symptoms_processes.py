"""The page of symptoms on threads and processes, and on what a compiled model keeps."""

from __future__ import annotations

import json

import pytest

from tests.book.provoked import SEEN_ON_X86
from tests.probes import Fork, Probe, said

pytestmark = SEEN_ON_X86

# A worker that is forked behind a computation with several threads, and what it says
FORKED = """
import torch
import torch.multiprocessing as mp
from torch import nn
from torchao.quantization import Int8WeightOnlyConfig, quantize_

def work(model, answers, alone):
    if alone:
        torch.set_num_threads(1)
    answers.put(model(torch.ones(256, 512)).sum().item())

torch.set_num_threads(2)
model = nn.Sequential(nn.Linear(512, 512)).eval().requires_grad_(False)
quantize_(model, Int8WeightOnlyConfig(set_inductor_config=False))
context = mp.get_context("fork")
answers = context.Queue()
for alone, patience in ((True, 60), (False, 5)):
    worker = context.Process(target=work, args=(model, answers, alone), daemon=True)
    worker.start()
    try:
        answers.get(timeout=patience)
        print("answers")
    except Exception:
        print("is silent" if worker.is_alive() else "died")
        worker.kill()
"""

# What a thread reads of the settings; then what a compiled model keeps
COMPILED = """
import gc, json, torch
from concurrent.futures import ThreadPoolExecutor
from torch import nn
import torch._inductor.config as inductor
from proofs.torchao_quietly import torchao
from qlearn import sqnr
from torchao.quantization import Int8WeightOnlyConfig, quantize_

inductor.freezing = True
torch.set_grad_enabled(False)
found = {}
with ThreadPoolExecutor(1) as pool:
    found["freezing"] = pool.submit(lambda: inductor.freezing).result()
    found["gradients"] = pool.submit(torch.is_grad_enabled).result()

def floats():
    gc.collect()
    return sum(type(t) in (torch.Tensor, nn.Parameter) and t.dtype == torch.float32
               and t.shape == (320, 320) for t in gc.get_objects())

model, x = nn.Sequential(nn.Linear(320, 320), nn.Linear(320, 10)).eval(), torch.randn(64, 320)
config = Int8WeightOnlyConfig(set_inductor_config=False)
quantize_(model, config, lambda layer, name: name == "0")
found["float weights"] = [floats()]
compiled = torch.compile(model)
found["compiled"] = sqnr(model(x), compiled(x))
found["float weights"].append(floats())
model[1].load_state_dict(nn.Linear(320, 10).state_dict())
found["loaded behind"] = sqnr(model(x), compiled(x))
print(json.dumps(found))
"""


def test_a_fork_behind_several_threads_is_silent(fork_with_torchao: Fork) -> None:
    assert said(fork_with_torchao(FORKED)).split("\n")[:2] == ["answers", "is silent"]


@pytest.fixture(scope="module")
def found(fork_with_torchao: Fork) -> dict[str, object]:
    return json.loads(said(fork_with_torchao(COMPILED)).splitlines()[-1])


def test_settings_belong_to_a_thread(found: dict[str, object]) -> None:
    assert found["freezing"] is False and found["gradients"] is True


def test_an_environment_variable_holds_in_each_thread(probe: Probe) -> None:
    code = (
        "import torch._inductor.config as inductor\n"
        "from concurrent.futures import ThreadPoolExecutor\n"
        "print(ThreadPoolExecutor(1).submit(lambda: inductor.freezing).result())"
    )
    assert probe(code, TORCHINDUCTOR_FREEZING="1") == "True\n"


def test_freezing_makes_floats_of_int8_weights(found: dict[str, list[int]]) -> None:
    before, behind = found["float weights"]
    assert before < behind


def test_a_frozen_model_keeps_the_weights_that_it_was_compiled_with(
    found: dict[str, float],
) -> None:
    assert found["loaded behind"] < 10 < 30 < found["compiled"]
