from collections import Counter
from pathlib import Path

import onnx
import onnxruntime
import torch

from qlearn.course import digits_right, split_digits, trained_digits_net
from qlearn.course.static_graph import static_graph

digits = split_digits()
graph = static_graph(trained_digits_net(), [digits.train_images[:64]])

program = torch.onnx.export(
    graph, (digits.test_images,), input_names=["x"], verbose=False
)
program.save("digits.onnx")
print(f"{Path('digits.onnx').stat().st_size:,} bytes")
nodes = onnx.load("digits.onnx").graph.node
print(dict(Counter(node.op_type for node in nodes).most_common(3)))

session = onnxruntime.InferenceSession("digits.onnx")


def by_runtime(x: torch.Tensor) -> torch.Tensor:
    return torch.from_numpy(session.run(None, {"x": x.numpy()})[0])


print(digits_right(by_runtime), "right, torch", digits_right(graph))
