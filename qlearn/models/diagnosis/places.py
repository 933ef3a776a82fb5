"""Which layer runs at the moment."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import torch
from torch import fx, nn

WHOLE = "the model"


class Places:
    """The names of the modules that were entered, and the node of the graph that runs."""

    def __init__(self) -> None:
        """Begin outside of all."""
        self.modules: list[str] = []
        self.node = ""

    def now(self) -> str:
        """Return the name of the innermost module, or else of the node, or "the model"."""
        return (self.modules[-1] if self.modules else self.node) or WHOLE

    @property
    def is_weight(self) -> bool:
        """Whether a weight is fake quantized: by a module, or at a node that is called so."""
        if self.modules:
            return self.modules[-1].rpartition(".")[2].startswith("weight_fake_quant")
        return "weight" in self.node

    @contextmanager
    def followed(self, model: nn.Module) -> Iterator[None]:
        """Know, inside this block, which part of the model runs."""
        with ExitStack() as hooks:
            for name, module in model.named_modules():
                if name and can_be_hooked(module):
                    hooks.callback(self._enter(module, name).remove)
                    hooks.callback(self._leave(module).remove)
            yield

    def _enter(self, module: nn.Module, name: str) -> Any:
        return module.register_forward_pre_hook(lambda *_: self.modules.append(name))

    def _leave(self, module: nn.Module) -> Any:
        def leave(*_: Any) -> None:
            self.modules.pop()

        return module.register_forward_hook(leave, always_call=True)

    def run(self, model: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Call the model; one that is a graph node by node, so that each is known."""
        hooks = model._forward_hooks or model._forward_pre_hooks  # which the nodes would not call
        if isinstance(model, fx.GraphModule) and not kwargs and not hooks:
            return _ByNode(model, self).run(*args)
        return model(*args, **kwargs)


def can_be_hooked(module: nn.Module) -> bool:
    """Say whether a module takes hooks, as those of TorchScript do not."""
    return not isinstance(module, torch.jit.ScriptModule)


class _ByNode(fx.Interpreter):
    """Runs a graph, and says which node it is at: of a rounding, the node that it rounds."""

    def __init__(self, graph: fx.GraphModule, places: Places) -> None:
        super().__init__(graph)
        self.places = places

    def run_node(self, n: fx.Node) -> Any:
        source = n.args[0] if n.args and "quantize_per" in str(n.target) else n
        self.places.node = source.name if isinstance(source, fx.Node) else n.name
        return super().run_node(n)
