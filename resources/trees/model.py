"""A file of XGBoost, LightGBM or skops as a module, which its library computes, and which writes its own ONNX."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import nn

from .library import LibraryFile, load_file, write_onnx
from .samples import parse_inputs


class Rows(nn.Module):
    """Rows in; label and probabilities, or values, out."""

    def __init__(self, loaded: LibraryFile) -> None:
        super().__init__()
        self._loaded = loaded

    def forward(self, rows: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return tuple(torch.from_numpy(array) for array in self._loaded.predict(rows.numpy()))

    def to_onnx(self, opset: int) -> Any:
        """In place of a trace, which sees nothing of what another library computes."""
        return write_onnx(self._loaded, opset)


def get_model(
    file: str, library: str, inputs: str, outputs: Sequence[str] = (), rounds: int = 0
) -> tuple[nn.Module, dict[str, Any]]:
    """`inputs`: see `parse_inputs`; `rounds`: of a booster whose training stopped early."""
    names = [item.name for item in parse_inputs(inputs)]
    return Rows(load_file(file, library, rounds)), {"inputs": names, "outputs": list(outputs)}
