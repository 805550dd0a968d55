"""Versions of the packages that results depend on."""

from __future__ import annotations

import argparse
import platform
from importlib import metadata
from typing import Any

from ..report import Report

_PACKAGES = (
    "torch",
    "tensorflow-cpu",
    "keras",
    "tf2onnx",
    "onnx",
    "onnxruntime",
    "onnxruntime-gpu",
    "tensorrt",
    "onnxconverter-common",
    "numpy",
    "pillow",
    "tritonclient",
    "nvidia-pytriton",
    "pyarrow",
    "transformers",
    "tokenizers",
    "safetensors",
    "xgboost-cpu",
    "lightgbm",
    "scikit-learn",
    "skl2onnx",
    "skops",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    del parser


def run(options: argparse.Namespace, report: Report) -> dict[str, Any]:
    """Packages that are not installed are left out; nothing is imported."""
    del options, report
    packages = {}
    for name in _PACKAGES:
        try:
            packages[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return {"packages": packages, "python": platform.python_version()}
