import torch
from safetensors import safe_open
from safetensors.torch import save_file
from torchao.prototype.safetensors.safetensors_support import (
    flatten_tensor_state_dict,
    unflatten_tensor_state_dict,
)
from torchao.quantization import Int8WeightOnlyConfig, quantize_

from qlearn.course import digits_right, trained_digits_net

net = trained_digits_net()
quantize_(net, Int8WeightOnlyConfig())
try:
    save_file(net.state_dict(), "digits.safetensors")
except RuntimeError as error:
    print(error)

plain, metadata = flatten_tensor_state_dict(net.state_dict())
save_file(plain, "digits.safetensors", metadata)

with safe_open("digits.safetensors", "pt") as file:
    stored = {name: file.get_tensor(name) for name in file.keys()}
    tensors, left = unflatten_tensor_state_dict(stored, file.metadata())
again = trained_digits_net()
again.load_state_dict(tensors, assign=True)
x = torch.ones(2, 1, 8, 8)
print("equal in every bit:", torch.equal(net(x), again(x)))
print(digits_right(again), "of 360 right")
