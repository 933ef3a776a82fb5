"""Train the digits' network with weights of 2 bits and write digits_qat.npz.

    .venv/bin/python -m data_makers.train_digits_qat

takes some ten seconds. The same machine and torch give the same file; others give other networks
of about the same accuracy, and the numbers of the chapter on training change with them.
"""

from __future__ import annotations

import copy
import warnings
from pathlib import Path
from typing import Any, get_args

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from qlearn import folded_weight
from qlearn.course.digits.net import count_right, split_digits
from qlearn.course.digits.qat import (
    LAYERS,
    Kind,
    calibrate,
    freeze,
    low_bit_qconfig,
    prepare_digits_net,
)

TARGET = Path(__file__).resolve().parents[1] / "qlearn/course/digits/data/digits_qat.npz"
BATCH = 64
RECORD_EVERY = 6  # steps
FROZEN_SHARE = 0.25  # of the epochs, at the end

Record = dict[str, list]


def train(kind: Kind, *, seed: int = 0, epochs: int = 12) -> tuple[nn.Module, Record]:
    """Calibrate, then train by Adam with a cosine schedule; freeze for the last epochs."""
    data = split_digits()
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        net = calibrate(prepare_digits_net(low_bit_qconfig(2, kind)))
        if kind == "learned":
            learn_scales(net)
        record: Record = {"steps": [], "positions": [], "losses": [], "right": [], "frozen": []}
        optimizer = torch.optim.Adam(net.parameters(), lr=3e-3)
        batches = -(-len(data.train_labels) // BATCH)
        schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, epochs * batches)
        logits = evaluate(net, data.train_images)
        write_down(record, net, [cross_entropy(logits, data.train_labels).item()])
        losses: list[float] = []
        for epoch in range(epochs):
            if epoch == round(epochs * (1 - FROZEN_SHARE)):
                freeze(net)
                record["frozen"] = [len(record["steps"])]  # the first record that is still to come
            net.train()
            for batch in torch.randperm(len(data.train_labels)).split(BATCH):
                optimizer.zero_grad()
                loss = cross_entropy(net(data.train_images[batch]), data.train_labels[batch])
                loss.backward()
                optimizer.step()
                schedule.step()
                losses.append(loss.item())
                if len(losses) == RECORD_EVERY:
                    write_down(record, net, losses)
    return freeze(net).eval(), record


def learn_scales(net: Any) -> None:
    """Hand the weights' scales to the optimizer, starting as Esser et al. do."""
    for layer in map(net.module.get_submodule, LAYERS):
        fake_quantize = layer.weight_fake_quant.enable_param_learning()
        size = folded_weight(layer).detach().abs().mean()
        fake_quantize.scale.data.fill_(2 * size / fake_quantize.quant_max**0.5)


def evaluate(net: nn.Module, images: Tensor) -> Tensor:
    """Return a network's logits in eval mode, without changing it."""
    with torch.no_grad():
        logits: Tensor = freeze(copy.deepcopy(net)).eval()(images)
    return logits


def right(net: nn.Module) -> int:
    """Return how many test images a network gets right."""
    data = split_digits()
    logits = evaluate(net, data.test_images)
    return count_right(logits, data.test_labels)


def write_down(record: Record, net: Any, losses: list[float]) -> None:
    """Add a line to the record, and begin to collect losses anew."""
    layer = net.module.conv1
    position = folded_weight(layer).detach() / layer.weight_fake_quant.scale.detach()
    record["steps"].append(RECORD_EVERY * len(record["steps"]))
    record["positions"].append(position.flatten().numpy())
    record["losses"].append(sum(losses) / len(losses))
    record["right"].append(right(net))
    losses.clear()


def main() -> None:
    """Train the three kinds, say how good they are, and write them with the first one's record."""
    torch.set_num_threads(1)
    warnings.filterwarnings("ignore", category=DeprecationWarning)
    arrays: dict[str, Any] = {}
    for kind in get_args(Kind):
        net, record = train(kind)
        arrays |= {f"{kind}/{name}": t.numpy() for name, t in net.state_dict().items()}
        if kind == "plain":
            arrays |= {
                "steps": np.array(record["steps"]),
                "positions": np.array(record["positions"], dtype=np.float32),
                "losses": np.array(record["losses"], dtype=np.float32),
                "right": np.array(record["right"]),
                "frozen": np.array(record["frozen"][0]),
            }
        print(f"{kind}: {record['right'][0]} of the test images right before, {right(net)} after")
    np.savez_compressed(TARGET, **arrays)
    print(f"{TARGET.stat().st_size} bytes")


if __name__ == "__main__":
    main()
