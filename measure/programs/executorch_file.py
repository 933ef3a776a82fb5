from pathlib import Path

import torch
from executorch.backends.xnnpack.partition.xnnpack_partitioner import (
    XnnpackPartitioner,
)
from executorch.backends.xnnpack.quantizer.xnnpack_quantizer import (
    XNNPACKQuantizer,
    get_symmetric_quantization_config,
)
from executorch.exir import to_edge_transform_and_lower
from executorch.runtime import Runtime

from qlearn.course import digits_right, split_digits, trained_digits_net
from qlearn.course.static_graph import static_graph

digits = split_digits()
config = get_symmetric_quantization_config(is_per_channel=True)
quantizer = XNNPACKQuantizer().set_global(config)
images = [digits.train_images[:64]]
graph = static_graph(trained_digits_net(), images, quantizer)

exported = torch.export.export(graph, (digits.test_images,))
lowered = to_edge_transform_and_lower(
    exported, partitioner=[XnnpackPartitioner()]
)
lowered.to_executorch().save("digits.pte")  # for 360 images at once
print(f"{Path('digits.pte').stat().st_size:,} bytes")
print([node.name for node in lowered.exported_program().graph.nodes][-3:])

program = Runtime.get().load_program(Path("digits.pte"))
method = program.load_method("forward")  # it reads from program: keep it
right = digits_right(lambda x: method.execute([x])[0])
print(right, "right, torch", digits_right(graph))
