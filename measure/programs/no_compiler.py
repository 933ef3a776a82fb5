import os
import textwrap

import torch

os.environ["PATH"] = ""  # as on a machine without a compiler
model = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.ReLU())
try:
    torch.compile(model)(torch.ones(2, 8))
except Exception as error:
    print(textwrap.fill(str(error).partition("\n")[0], 72))
