"""The decision guide's tree: each way ends, each leaf is reached and runs, each page exists."""

from __future__ import annotations

import sys
import types
from collections.abc import Iterator
from pathlib import Path as File

import pytest
import torch
from torch import nn

from qlearn.course import decision_paths
from qlearn.course.decision_paths import PAGES, Path, follow, paths, table
from qlearn.course.decisions import LEAVES, QUESTIONS, Answer, Question
from qlearn.course.leaf_trials import Trial, coarse, run_config, stand_in, try_leaf
from tests.attention import Attention

BOOK = File(__file__).parents[2] / "book"
MOST_QUESTIONS = 5
HERE = [name for name, leaf in LEAVES.items() if leaf.runs == "here"]
BY_LEAF = {path.end: path for path in paths()}

pytestmark = pytest.mark.filterwarnings("ignore:.*:DeprecationWarning", "ignore:.*:UserWarning")


# ------------------------------------------------------------------ the tree


def flaws(questions: dict[str, Question]) -> Iterator[str]:
    """Yield what is wrong with a tree."""
    named = {answer.to for question in questions.values() for answer in question.answers}
    for name in sorted(named - set(questions) - set(LEAVES)):
        yield f"an answer leads to {name!r}, which is neither a question nor a leaf"
    for name in sorted({*questions, *LEAVES} - named - {decision_paths.ROOT}):
        yield f"no answer leads to {name!r}"
    for name, question in questions.items():
        if len({answer.name for answer in question.answers}) < 2:
            yield f"question {name!r} has fewer than two different answers"


def test_each_leaf_and_each_question_is_reached() -> None:
    assert list(flaws(QUESTIONS)) == []
    assert set(BY_LEAF) == set(LEAVES)
    assert max(len(path.steps) for path in paths()) <= MOST_QUESTIONS


def test_a_leaf_that_nothing_leads_to_is_noticed() -> None:
    life = QUESTIONS["life"]
    stump = Question(life.text, (life.answers[0], life.answers[0]._replace(to="nowhere")))
    assert list(flaws(QUESTIONS | {"life": stump})) == [
        "an answer leads to 'nowhere', which is neither a question nor a leaf",
        "no answer leads to 'lstm'",
        "question 'life' has fewer than two different answers",
    ]


def test_each_answer_gives_a_reason_in_sentences() -> None:
    for question in QUESTIONS.values():
        assert question.text.endswith("?")
        for answer in question.answers:
            assert answer.because[0].isupper() and answer.because.endswith(".")


def file_of(page: str) -> File:
    """Return a page's file, whichever kind it is."""
    return next(f for f in (BOOK / f"{page}.ipynb", BOOK / f"{page}.md") if f.exists())


@pytest.mark.parametrize("page", sorted({leaf.page for leaf in LEAVES.values()}))
def test_each_page_exists_under_its_title(page: str) -> None:
    assert f"# {PAGES[page]}" in file_of(page).read_text(encoding="utf-8")


def test_a_page_that_is_missing_is_noticed() -> None:
    with pytest.raises(StopIteration):
        file_of("models/nothing")


# ------------------------------------------------------------------ ways


def test_answers_are_followed_to_the_first_that_is_missing() -> None:
    path = follow({"device": "card", "card_rows": "few"})
    assert (path.end, path.leaf) == ("card_kind", None)
    assert str(path) == "NVIDIA graphics card: What holds most of the weights?"


@pytest.mark.parametrize(
    ("answers", "message"),
    [
        ({"device": "watch"}, "device has no answer 'watch': it takes processor, other, card"),
        ({"colour": "blue"}, "there is no question 'colour': they are device, weights"),
    ],
)
def test_an_answer_to_no_question_is_refused(answers: dict[str, str], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        follow(answers)


def test_the_tables_have_every_way_once() -> None:
    tables = [table(answer.name) for answer in QUESTIONS["device"].answers]
    assert [path for t in tables for path in t.rows] == list(paths())
    lines = tables[0]._repr_markdown_().splitlines()
    assert lines[0] == "| you have | method and config | page |"
    assert lines[2].endswith(
        "| int8 weights: `Int8WeightOnlyConfig()` "
        "| [Quantize a model tonight](../start/tonight.ipynb) |"
    )
    assert "*(llama.cpp)*" in tables[1]._repr_markdown_()


def test_a_table_of_no_device_is_refused() -> None:
    with pytest.raises(ValueError, match="device has no answer 'watch'"):
        table("watch")


# ------------------------------------------------------------------ configs

# In decibels, at least: eight bits reach 35, four bits 20
LEAST = {name: 20 if "four" in LEAVES[name].method else 35 for name in HERE}


@pytest.mark.parametrize("name", HERE)
def test_a_config_runs_and_saves_bytes(name: str) -> None:
    trial = try_leaf(name)
    assert trial.share <= 0.5
    assert LEAST[name] <= trial.sqnr < 60


@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("card_int4", "ImportError: Requires mslk >= 1.0.0"),
        (
            "card_float8",
            "AssertionError: Float8 dynamic quantization requires CUDA compute capability ≥8.9 or "
            "MI300+ or XPU.",
        ),
    ],
)
def test_a_config_for_a_card_stops_and_says_why(name: str, error: str) -> None:
    trial = try_leaf(name)
    assert trial.error == error
    assert " ".join(str(trial).split()) == f"stops {LEAVES[name].method} {error}"


def test_the_configs_that_stop_are_those_that_the_answer_names() -> None:
    card = next(answer for answer in QUESTIONS["device"].answers if answer.name == "card")
    runs = {p.leaf.method: p.leaf.runs for p in paths() if p.leaf and p.steps[0][1] is card}
    stopping = [method for method, where in runs.items() if where == "stops"]
    assert "here" in runs.values() and len(stopping) == 2
    for kind in ("four bits", "float8"):
        assert kind in card.because and any(kind in method for method in stopping)


def test_the_call_in_the_table_is_in_the_config() -> None:
    assert [name for name, leaf in LEAVES.items() if leaf.call not in leaf.config] == []


def test_each_leaf_is_tried_somewhere() -> None:
    elsewhere = {name for name, leaf in LEAVES.items() if leaf.runs == "elsewhere"}
    files = {"gguf_8", "gguf_4", "gptq", "onnx_static", "onnx_dynamic"}
    assert elsewhere == {*files, "phone_static"}
    assert {LEAVES[name].language for name in ("gguf_8", "gguf_4")} == {"shell"}
    assert all(LEAVES[name].needs for name in elsewhere)
    assert str(try_leaf("gguf_4")) == "elsewhere    GGUF, Q4_K_M: llama.cpp"


def test_a_config_that_is_broken_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    broken = LEAVES["int8_weights"]._replace(config="quantize_(model)")
    monkeypatch.setitem(LEAVES, "int8_weights", broken)
    with pytest.raises(NameError, match="quantize_"):
        try_leaf("int8_weights")


def test_a_config_that_stops_here_is_no_trial(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(LEAVES, "half", LEAVES["card_int4"]._replace(runs="here"))
    with pytest.raises(ImportError, match="mslk"):
        try_leaf("half")


def test_the_model_that_is_given_stays_as_it_is() -> None:
    model = nn.Linear(4, 4).eval()
    assert run_config("model.to(torch.bfloat16)", model).weight.dtype == torch.bfloat16
    assert model.weight.dtype == torch.float32


def test_a_model_that_a_config_does_not_fit_is_refused() -> None:
    gru = nn.Sequential(nn.GRU(8, 16)).eval()
    with pytest.raises(TypeError, match="model is a list: pass a torch.nn.Module"):
        run_config("", [])
    with pytest.raises(ValueError, match="GRU is in training mode"):
        run_config("", nn.GRU(8, 16))
    with pytest.raises(ValueError, match="weight has no shape yet: call the model once"):
        run_config("", nn.LazyLinear(2).eval())
    with pytest.raises(TypeError, match="a batch is a tuple: pass tensors, without labels"):
        run_config("", gru, [(torch.zeros(2, 8), 1)])  # type: ignore[list-item]
    with pytest.raises(ValueError, match="there are no batches"):
        run_config(LEAVES["static"].config, gru)
    with pytest.raises(ValueError, match="rounds with the help of texts: pass some"):
        run_config(LEAVES["gptq"].config, gru)
    with pytest.raises(ValueError, match="the config changed nothing in Sequential"):
        run_config(LEAVES["int8_weights"].config, gru)
    with pytest.raises(ValueError, match="the config changed nothing in Sequential"):
        run_config(LEAVES["int4_weights"].config, gru)
    with pytest.raises(ValueError, match="linear layers, 48 → 16: .* must divide the inputs"):
        run_config(LEAVES["int4_weights"].config, nn.Sequential(nn.Linear(48, 16)).eval())


class Tokens(nn.Module):
    """A model whose inputs are the numbers of tokens."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding, self.layer = nn.Embedding(64, 64), nn.Linear(64, 64)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        return self.layer(self.embedding(tokens))


@pytest.mark.parametrize(
    ("model", "x"),
    [(Attention(64, 4, 32), torch.ones(2, 5, 64)), (Tokens(), torch.arange(10)[None])],
    ids=["attention", "tokens"],
)
@pytest.mark.parametrize("leaf", ["int8_weights", "int4_weights", "awq", "smoothquant"])
def test_a_config_quantizes_what_can_be_called_afterwards(
    leaf: str, model: nn.Module, x: torch.Tensor
) -> None:
    changed = run_config(LEAVES[leaf].config, model.eval(), [x, x])
    assert type(changed.layer.weight).__module__.startswith("torchao.")
    floats = next(each.dtype for each in changed.parameters() if each.is_floating_point())
    assert changed(x.to(floats) if x.is_floating_point() else x).isfinite().all()


def test_float64_is_refused() -> None:
    model, batch = nn.Sequential(nn.Linear(64, 16)).eval(), torch.zeros(2, 64)
    with pytest.raises(ValueError, match=r"weight is torch.float64, .*: pass model.float\(\)"):
        run_config(LEAVES["int8_weights"].config, nn.Linear(64, 16).double().eval())
    with pytest.raises(ValueError, match=r"a batch is torch.float64, .*: pass batch.float\(\)"):
        run_config(LEAVES["smoothquant"].config, model, [batch.double()])


def test_a_graph_in_which_nothing_is_quantized_is_refused() -> None:
    with pytest.raises(ValueError, match="the config changed nothing in Sequential"):
        run_config(LEAVES["static"].config, nn.Sequential(nn.Tanh()).eval(), [torch.zeros(2, 4)])


def test_the_phones_config_runs_with_torchaos_copy_of_its_quantizer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from torchao.testing.pt2e import _xnnpack_quantizer as copy

    names = ["executorch", "backends", "xnnpack", "quantizer", "xnnpack_quantizer"]
    for depth in range(1, len(names)):
        place = ".".join(names[:depth])
        monkeypatch.setitem(sys.modules, place, types.ModuleType(place))
    monkeypatch.setitem(sys.modules, ".".join(names), copy)
    model, batches, inputs = stand_in("conv")
    changed = run_config(LEAVES["phone_static"].config, model, batches)
    same = changed(inputs[:64]).argmax(1) == model(inputs[:64]).argmax(1)
    assert same.sum() >= 60


class Rows(nn.Module):
    """A convolution and a linear layer, small enough to be written as ONNX in a moment."""

    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(1, 4, 3)
        self.fc = nn.Linear(144, 10)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.fc(self.conv(x).relu().flatten(1))


@pytest.mark.parametrize("name", ["onnx_static", "onnx_dynamic"])
def test_a_config_of_onnx_runtime_runs_there(
    name: str, tmp_path: File, monkeypatch: pytest.MonkeyPatch
) -> None:
    onnxruntime = pytest.importorskip("onnxruntime")
    monkeypatch.chdir(tmp_path)
    model, batches = Rows().eval(), list(torch.rand(4, 16, 1, 8, 8))
    names = {"input_names": ["x"], "dynamic_axes": {"x": {0: "n"}}}
    torch.onnx.export(model, (batches[0],), "model.onnx", dynamo=False, **names)
    run_config(LEAVES[name].config, model, batches)
    session = onnxruntime.InferenceSession("model-int8.onnx")
    (found,) = session.run(None, {"x": batches[0].numpy()})
    exact = model(batches[0]).detach()
    assert (torch.from_numpy(found) - exact).abs().max() < 0.1 * exact.abs().max()
    assert File("model-int8.onnx").stat().st_size < File("model.onnx").stat().st_size


def test_a_trial_is_said_in_a_line() -> None:
    leaf = LEAVES["int8_weights"]
    assert str(Trial(leaf, 0.285, 44.76)) == "30 %, 45 dB  int8 weights"
    assert [coarse(x) for x in (0, 2.4, 2.6, 47.4)] == [0, 0, 5, 45]
    assert isinstance(BY_LEAF["half"], Path) and isinstance(QUESTIONS["life"].answers[0], Answer)
