"""ResNet-50 with seeded weights to ONNX. Arguments: model folder, output folder."""

from __future__ import annotations

import sys
import warnings
from importlib import import_module
from pathlib import Path

import onnx
import torch

SIZE = 224
OPSET = 11


def main(model_dir: Path, work: Path) -> None:
    sys.path.insert(0, str(model_dir.parent))
    model, _ = import_module(f"{model_dir.name}.model").get_model(seed=0)
    model.eval()
    torch.save(model.state_dict(), work / "checkpoint.pt")
    axes = {"INPUT__0": {0: "batch"}, "OUTPUT__0": {0: "batch"}}
    file = work / "model.onnx"
    with torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        torch.onnx.export(
            model,
            (torch.zeros(1, 3, SIZE, SIZE),),
            str(file),
            opset_version=OPSET,
            input_names=["INPUT__0"],
            output_names=["OUTPUT__0"],
            dynamic_axes=axes,
            dynamo=False,
        )
    onnx.checker.check_model(str(file))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
