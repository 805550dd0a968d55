"""A few samples with the outputs that the framework gave for them, as raw tensors: what a deployment is checked by."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ..batches import Array, Batches, Tensors
from ..datatypes import triton_datatype
from ..dumps import read_dumps, read_lengths
from ..errors import ToolkitError
from ..files import new_directory
from ..model_folder import ModelFolder
from ..options import add_model_arguments, at_least
from ..report import Report

#: Of all tensors together; one sample is kept whatever its size.
MOST_BYTES = 64 * 1024 * 1024


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_model_arguments(parser)
    parser.add_argument("--reference", type=Path, required=True, help="dump of the model in its framework")
    parser.add_argument("--count", type=at_least(1), default=8, help="samples at most")
    parser.add_argument("--output-dir", type=Path, required=True, help="samples.json and a file a tensor")


def _reference(directory: Path) -> Iterator[tuple[str, Tensors]]:
    """Sample by sample, each output without its padding."""
    ids = read_dumps(directory, "ids")
    for dump in read_dumps(directory, "outputs"):
        names = next(ids).tensors["ids"]
        for index, name in enumerate(names):
            outputs = {}
            for output, array in dump.tensors.items():
                sample = array[index]
                shape = dump.shapes.get(output)
                if shape is not None:
                    sample = sample[tuple(slice(0, int(size)) for size in shape[index])]
                # Triton knows no sample without dimensions: [n] is served as [n, 1].
                outputs[output] = sample.reshape(1) if sample.ndim == 0 else sample
            yield str(name), outputs


def _write(directory: Path, index: int, kind: str, tensors: Mapping[str, Array]) -> list[dict[str, Any]]:
    written = []
    for position, (name, array) in enumerate(tensors.items()):
        file = f"{index}-{kind}-{position}.bin"
        little = np.ascontiguousarray(array).astype(array.dtype.newbyteorder("<"))
        (directory / file).write_bytes(little.tobytes())
        datatype = triton_datatype(array.dtype)
        written.append({"name": name, "datatype": datatype, "shape": [1, *array.shape], "file": file})
    return written


def run(options: argparse.Namespace, report: Report) -> dict[str, Any]:
    folder = ModelFolder.from_options(options)
    report.progress(0.0, "Keeping samples for the check of a deployment")
    expected = _reference(options.reference)
    samples: list[dict[str, Any]] = []
    used = 0
    with new_directory(options.output_dir) as directory:
        for batch in Batches(folder, options.count):
            for index, name in enumerate(batch.ids):
                found, outputs = next(expected, ("", {}))
                if found != name:
                    raise ToolkitError(
                        "input-invalid",
                        f"The dump holds the sample {found} where the loader gives {name}",
                        where=str(options.reference),
                    )
                inputs = {key: array[index] for key, array in batch.x.items()}
                used += sum(array.nbytes for array in (*inputs.values(), *outputs.values()))
                if samples and used > MOST_BYTES:
                    break
                at = len(samples)
                samples.append(
                    {
                        "id": name,
                        "inputs": _write(directory, at, "input", inputs),
                        "outputs": _write(directory, at, "output", outputs),
                    }
                )
            else:
                continue
            break
        document = {"lengths": read_lengths(options.reference), "samples": samples}
        (directory / "samples.json").write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    return {"samples": len(samples)}
