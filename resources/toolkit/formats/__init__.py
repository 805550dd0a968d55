"""Every format of model files that the toolkit writes; a TensorRT plan is built of an ONNX file (verb build-plan)."""

from __future__ import annotations

from .model_format import ModelFormat
from .onnx_file import ONNX
from .pt2_file import PT2
from .savedmodel_file import SAVEDMODEL
from .torchscript_file import SCRIPTED, TRACED

FORMATS: dict[str, ModelFormat] = {
    "onnx": ONNX,
    "ts-trace": TRACED,
    "ts-script": SCRIPTED,
    "pt2": PT2,
    "tf-savedmodel": SAVEDMODEL,
}
