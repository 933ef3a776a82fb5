import torch
import torch._inductor.config
from torch._inductor.utils import run_and_get_code

from qlearn.course import digits_right, split_digits, trained_digits_net
from qlearn.course.static_graph import static_graph

digits = split_digits()
graph = static_graph(trained_digits_net(), [digits.train_images[:64]])

torch._inductor.config.freezing = True  # before compiling
compiled = torch.compile(graph)
with torch.no_grad():  # freezing needs it
    logits, code = run_and_get_code(compiled, digits.test_images)

for kernel in ("qconv_pointwise", "qlinear_pointwise"):
    print(f"calls of {kernel}:", code[0].count(f"onednn.{kernel}."))
print(digits_right(compiled), "right, eager", digits_right(graph))
