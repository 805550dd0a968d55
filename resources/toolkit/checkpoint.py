"""A user's weights: data only, and all of them or none."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Optional

from .errors import ToolkitError

if TYPE_CHECKING:
    import torch

_REMEDY = (
    "Give a state dictionary saved by torch.save (plain, or under the key state_dict) whose keys and shapes "
    "are those of this model and profile."
)


def _refuse(path: Path, message: str, details: Optional[str] = None) -> ToolkitError:
    return ToolkitError(
        "checkpoint-invalid", f"{path.name}: {message}", where=str(path), remedy=_REMEDY, details=details
    )


def read_state(path: Path) -> dict[str, torch.Tensor]:
    """Reads without running code of the file. Throws checkpoint-invalid."""
    import torch

    if not path.is_file():
        raise _refuse(path, "there is no such file")
    try:
        value: Any = torch.load(path, map_location="cpu", weights_only=True)
    except Exception as error:
        first = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise _refuse(path, f"cannot be read as weights ({first})", str(error)) from error
    if isinstance(value, Mapping) and isinstance(value.get("state_dict"), Mapping):
        value = value["state_dict"]
    if not isinstance(value, Mapping) or not value:
        raise _refuse(path, f"holds a {type(value).__name__}, not a state dictionary")
    if all(str(key).startswith("module.") for key in value):
        value = {str(key)[len("module.") :]: tensor for key, tensor in value.items()}
    for key, tensor in value.items():
        if not isinstance(tensor, torch.Tensor):
            raise _refuse(path, f"the entry {key} is a {type(tensor).__name__}, not a tensor")
    return {str(key): tensor for key, tensor in value.items()}


def _some(names: list[str]) -> str:
    return ", ".join(names[:3]) + (", ..." if len(names) > 3 else "")


def load_checkpoint(model: torch.nn.Module, path: Path) -> None:
    """Fills the model. Throws checkpoint-invalid."""
    fill_module(model, read_state(path), path)


def fill_module(model: torch.nn.Module, given: Mapping[str, torch.Tensor], path: Path) -> None:
    """Throws checkpoint-invalid naming the first keys or shapes that do not fit. `path`: where the weights are from."""
    import torch

    wanted = model.state_dict()
    for key, tensor in given.items():
        if tensor.is_floating_point() and not bool(torch.isfinite(tensor).all()):
            raise _refuse(path, f"the tensor {key} holds NaN or infinite values")
    # The step counter of batch normalisation has no part in inference and older files lack it.
    missing = [key for key in wanted if key not in given and not key.endswith("num_batches_tracked")]
    unexpected = [key for key in given if key not in wanted]
    shapes = [
        f"{key} is {list(given[key].shape)}, the model needs {list(wanted[key].shape)}"
        for key in wanted
        if key in given and given[key].shape != wanted[key].shape
    ]
    faults = [
        f"{len(missing)} keys are missing ({_some(missing)})" if missing else "",
        f"{len(unexpected)} keys are unexpected ({_some(unexpected)})" if unexpected else "",
        f"{len(shapes)} shapes differ ({shapes[0]})" if shapes else "",
    ]
    if any(faults):
        details = "\n".join(
            [f"missing: {key}" for key in missing] + [f"unexpected: {key}" for key in unexpected] + shapes
        )
        raise _refuse(path, "; ".join(fault for fault in faults if fault), details)
    model.load_state_dict(dict(given), strict=False)
