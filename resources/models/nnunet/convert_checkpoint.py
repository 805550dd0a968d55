"""Published nnU-Net checkpoints to the names of model.py: PyTorch Lightning's files, the network under `model.`.

Two layouts: the network of the published checkpoint, and MONAI's DynUNet, which replaced it at the end of 2021 and has
the normalisations beside the convolutions. Levels, channels, strides and kernels come from the shapes.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch

from toolkit.published import Weights, read_checkpoint, refuse, state_of

from .model import get_model

#: Of the published files beside tensors.
_CLASSES = ("argparse.Namespace", "pytorch_lightning.", "lightning_fabric.")
#: Only in training: losses at lower resolutions. DynUNet has each tensor once more below skip_layers.
_TRAINING = ("deep_supervision_head", "skip_layers.", "loss.", "criterion.")
#: Parts of other networks that the same code can train.
_OTHER = {
    "downsample": "residual blocks",
    "norm_res": "residual blocks",
    "conv_res": "residual blocks",
    "norm3": "residual blocks",
    "conv3": "residual blocks",
    "conv_o": "attention",
    "conv_s": "attention",
    "psi": "attention",
}
_DYN_NORM = re.compile(r"\.norm([12])\.")


def _plain(tensors: Mapping[str, Any], path: Path) -> Weights:
    """By the names of the published time. Throws checkpoint-invalid for residual blocks and attention, by name."""
    found = {}
    for key, tensor in tensors.items():
        if key.startswith(_TRAINING):
            continue
        for part in key.split("."):
            if part in _OTHER:
                raise refuse(
                    path,
                    f"{key}: the network has {_OTHER[part]}, which this preset does not have",
                    "Choose a checkpoint that was trained without residual blocks and attention.",
                )
        name = _DYN_NORM.sub(r".conv\1.norm.", key)
        name = (
            name.replace("transp_conv.conv.", "transp_conv.").replace("conv.conv.", "conv.", 1)
            if ("transp_conv.conv." in key or key.startswith("output_block.conv.conv."))
            else name
        )
        found[name] = tensor
    return Weights(found, path)


def _joined(sizes: tuple[int, ...]) -> str:
    return "x".join(str(size) for size in sizes)


def _arguments(weights: Weights) -> dict[str, Any]:
    """Sizes, from the shapes. The stride of a level is the kernel of the transposed convolution that undoes it."""
    downs = weights.count("downsamples.{}.conv1.conv.weight")
    levels = ["input_block", *(f"downsamples.{index}" for index in range(downs)), "bottleneck"]
    shapes = [weights.shape(f"{level}.conv1.conv.weight") for level in levels]
    if any(len(shape) != 5 for shape in shapes):
        raise refuse(weights.path, "input_block.conv1.conv.weight is not of a 3D network")
    ups = [weights.shape(f"upsamples.{index}.transp_conv.weight") for index in range(downs + 1)]
    return {
        "features": ",".join(str(shape[0]) for shape in shapes),
        "kernels": ",".join(_joined(shape[2:]) for shape in shapes),
        "strides": ",".join(["1", *(_joined(shape[2:]) for shape in reversed(ups))]),
        "modalities": shapes[0][1],
        "classes": weights.shape("output_block.conv.weight")[0],
    }


def _model(arguments: Mapping[str, Any]) -> torch.nn.Module:
    lists = {name: arguments[name].split(",") for name in ("features", "strides", "kernels")}
    model, _ = get_model(
        [int(part) for part in lists["features"]],
        arguments["modalities"],
        arguments["classes"],
        lists["strides"],
        lists["kernels"],
    )
    return model


def _state(
    weights: Weights, arguments: Mapping[str, Any], wanted: Mapping[str, torch.Tensor]
) -> dict[str, Any]:
    """`wanted`: of a model of these sizes."""
    state: dict[str, Any] = {}
    count = len(arguments["features"].split(","))
    levels = ["input_block", *(f"downsamples.{index}" for index in range(count - 2)), "bottleneck"]

    def move(theirs: str, ours: str) -> None:
        state[ours] = weights.take(theirs, *wanted[ours].shape)

    def block(theirs: str, ours: str) -> None:
        for part in ("conv.weight", "norm.weight", "norm.bias"):
            move(f"{theirs}.{part}", f"{ours}.{part}")

    for index, level in enumerate(levels):
        for place in range(2):
            block(f"{level}.conv{place + 1}", f"encoder.{index}.{place}")
    biased = "upsamples.0.transp_conv.bias" in weights
    for index in range(count - 1):
        up = f"upsamples.{index}"
        move(f"{up}.transp_conv.weight", f"decoder.{index}.up.weight")
        if biased:
            move(f"{up}.transp_conv.bias", f"decoder.{index}.up.bias")
        else:
            # DynUNet can be made without.
            state[f"decoder.{index}.up.bias"] = torch.zeros_like(wanted[f"decoder.{index}.up.bias"])
        for place in range(2):
            block(f"{up}.conv_block.conv{place + 1}", f"decoder.{index}.convs.{place}")
    for part in ("weight", "bias"):
        move(f"output_block.conv.{part}", f"head.{part}")
    weights.done()
    for name, tensor in wanted.items():
        if name.startswith("deep_heads."):
            state[name] = torch.zeros_like(tensor)
    return state


def build_published(
    tensors: Mapping[str, Any], constructor: Mapping[str, Any], path: Path
) -> torch.nn.Module:
    """The network of the publisher's constructor arguments, with these tensors; in evaluation mode."""
    del constructor
    weights = _plain(tensors, path)
    arguments = _arguments(weights)
    model = _model(arguments)
    model.load_state_dict(_state(weights, arguments, model.state_dict()))
    return model.eval()


def convert_checkpoint(checkpoint: str, patch_size: int = 128) -> tuple[dict[str, Any], Mapping[str, Any]]:
    """Arguments that the file decides, and the state by the names of model.py.

    A patch that the network's strides would shrink to a single voxel is enlarged: there is nothing to normalise then.
    """
    path = Path(checkpoint)
    tensors = state_of(read_checkpoint(path, _CLASSES), path, "model.")
    if "head.weight" in tensors:
        return {}, tensors
    weights = _plain(tensors, path)
    arguments = _arguments(weights)
    whole = 1
    for stride in arguments["strides"].split(","):
        whole *= max(int(part) for part in stride.split("x"))
    arguments["patch_size"] = max(-(-patch_size // whole) * whole, 2 * whole)
    return arguments, _state(weights, arguments, _model(arguments).state_dict())
