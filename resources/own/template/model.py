"""The model: a small network that tells which of four quarters of a square a point lies in.

Replace it with your own. A run calls get_model() and nothing else of this file.
"""

from __future__ import annotations

import torch
from torch import nn


class Classifier(nn.Module):
    """[batch, 2] numbers in, [batch, classes] scores out; the batch is always the first axis."""

    def __init__(self, hidden: int, classes: int) -> None:
        super().__init__()
        self.first = nn.Linear(2, hidden)
        self.second = nn.Linear(hidden, classes)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.second(torch.relu(self.first(x)))


def get_model(hidden: int = 32, classes: int = 4) -> tuple[nn.Module, dict[str, list[str]]]:
    """The module, and the names of its inputs and outputs in the order of forward().

    A forward() that returns a dict, a dataclass or a NamedTuple is taken by its keys: name the outputs as the keys.

    Parameters are set by `args` in preset.yaml, or by --set model.args.hidden=64.
    """
    return Classifier(hidden, classes), {"inputs": ["INPUT__0"], "outputs": ["OUTPUT__0"]}
