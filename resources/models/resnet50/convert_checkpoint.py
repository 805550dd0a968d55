"""Published ResNet-50 checkpoints: a state dictionary, or that of a training with its optimizer.

Later ones of the repository have layers.0 … layers.3 in place of layer1 … layer4.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch

from toolkit.published import Weights, read_checkpoint, refuse, state_of

from .model import get_model

_LAYERS = re.compile(r"^layers\.(\d+)\.")


def _arguments(tensors: Mapping[str, Any], path: Path) -> dict[str, Any]:
    """Sizes, from the shapes."""
    weights = Weights(tensors, path)
    blocks, widths = [], []
    for stage in range(1, 5):
        blocks.append(weights.count(f"layer{stage}.{{}}.conv1.weight"))
        widths.append(weights.shape(f"layer{stage}.0.conv1.weight")[0])
    return {
        "blocks": ",".join(str(count) for count in blocks),
        "widths": ",".join(str(width) for width in widths),
        "stem": weights.shape("conv1.weight")[0],
        "expansion": weights.shape("layer1.0.conv3.weight")[0] // widths[0],
        "classes": weights.shape("fc.weight")[0],
    }


def _plain(tensors: Mapping[str, Any]) -> dict[str, Any]:
    def name(key: str) -> str:
        return _LAYERS.sub(lambda match: f"layer{int(match.group(1)) + 1}.", key)

    return {name(key): tensor for key, tensor in tensors.items()}


def build_published(
    tensors: Mapping[str, Any], constructor: Mapping[str, Any], path: Path
) -> torch.nn.Module:
    """The network of the publisher's constructor arguments, with these tensors; in evaluation mode."""
    del constructor
    state = _plain(tensors)
    sizes: dict[str, Any] = {
        name: [int(part) for part in value.split(",")] if isinstance(value, str) else value
        for name, value in _arguments(state, path).items()
    }
    model, _ = get_model(**sizes)
    missing, unexpected = model.load_state_dict(state, strict=False)
    wrong = [*unexpected, *(key for key in missing if not key.endswith("num_batches_tracked"))]
    if wrong:
        raise refuse(path, f"{wrong[0]} does not fit the network")
    return model.eval()


def convert_checkpoint(
    checkpoint: str, dataset_classes: int = 10
) -> tuple[dict[str, Any], Mapping[str, Any]]:
    """Arguments that the file decides, and the state by the names of model.py.

    A generated data set has no more classes than the network.
    """
    path = Path(checkpoint)
    state = _plain(state_of(read_checkpoint(path), path))
    arguments = _arguments(state, path)
    return {**arguments, "dataset_classes": min(dataset_classes, arguments["classes"])}, state
