import logging
import textwrap
from collections import Counter

import torch
from torchao.quantization import (
    Int8DynamicActivationInt8WeightConfig,
    Int8WeightOnlyConfig,
    quantize_,
)

logging.disable(logging.ERROR)
x = torch.ones(2, 512)
for config in (
    Int8WeightOnlyConfig(),
    Int8DynamicActivationInt8WeightConfig(),
):
    model = torch.nn.Sequential(torch.nn.Linear(512, 512)).eval()
    quantize_(model, config)
    print(type(config).__name__)
    try:
        program = torch.onnx.export(model, (x,), verbose=False)
        nodes = program.model_proto.graph.node
        print(" ", ", ".join(Counter(node.op_type for node in nodes)))
    except Exception as error:
        cause = error
        while cause.__cause__ is not None:
            cause = cause.__cause__
        print(textwrap.fill("  " + str(cause).partition("\n")[0], 72))
