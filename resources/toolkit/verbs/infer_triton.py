"""Outputs of a model served by Triton."""

from __future__ import annotations

import argparse
import time
from collections import deque
from typing import Any, Callable, Optional

from ..batches import Batch, Batches, Tensors
from ..datatypes import triton_datatype
from ..dumps import DumpWriter
from ..errors import ToolkitError
from ..files import new_directory
from ..model_folder import ModelFolder
from ..options import add_dump_arguments, add_model_arguments, at_least
from ..report import Report
from ..triton_client import Client, Kind, Tls, connect

#: Of volumes, as many requests as of pictures would take tens of gigabytes in this process and in Triton.
_UNRESPONDED_BYTES = 256 * 1024 * 1024


def tensor_bytes(tensors: Tensors) -> int:
    """Bytes of the values; of text its characters."""
    return sum(
        sum(len(value) for value in array.flat) if array.dtype == object else int(array.nbytes)
        for array in tensors.values()
    )


class Ahead:
    """Requests that are sent before earlier answers are taken. An answer stays in memory until it is taken."""

    def __init__(self, most: int, most_bytes: int) -> None:
        self._most = most
        self._most_bytes = most_bytes
        self._sizes: deque[int] = deque()
        #: Of the largest answer so far. Nobody says before the first how large one is: it is waited for.
        self._answer_bytes: Optional[int] = None
        self.most_seen = 0

    def has_room(self, size: int) -> bool:
        if not self._sizes:
            return True
        if self._answer_bytes is None or len(self._sizes) >= self._most:
            return False
        answers = (len(self._sizes) + 1) * self._answer_bytes
        return sum(self._sizes) + size + answers <= self._most_bytes

    def sent(self, size: int) -> None:
        self._sizes.append(size)
        self.most_seen = max(self.most_seen, len(self._sizes))

    def answered(self, answer_bytes: int) -> None:
        self._sizes.popleft()
        self._answer_bytes = max(self._answer_bytes or 0, answer_bytes)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_model_arguments(parser)
    add_dump_arguments(parser)
    parser.add_argument("--url", required=True, help="host:port")
    parser.add_argument("--protocol", default="grpc", choices=("grpc", "http"))
    parser.add_argument("--tls", action="store_true", help="gRPC over TLS")
    parser.add_argument("--tls-ca", help="PEM of the authorities")
    parser.add_argument("--tls-cert", help="PEM of the client certificate")
    parser.add_argument("--tls-key", help="PEM of its key")
    parser.add_argument("--tls-server-name", help="name that the certificate bears")
    parser.add_argument("--model-name", required=True)
    parser.add_argument("--model-version", default="1")
    parser.add_argument("--max-unresponded-requests", type=at_least(1), default=128)
    parser.add_argument(
        "--max-unresponded-bytes", type=at_least(1), default=_UNRESPONDED_BYTES,
        help="of requests and answers together; one request is always sent",
    )  # fmt: skip
    parser.add_argument("--response-wait-time", type=float, default=120.0, help="seconds")


def check_served(metadata: dict[str, Any], kind: Kind, batch: Batch, batch_size: int) -> dict[str, str]:
    """Datatypes of the inputs by name. Throws model-mismatch naming everything that does not fit."""
    faults = []
    served = {item["name"]: item for item in metadata["inputs"]}
    for name in batch.x.keys() - served.keys():
        faults.append(f"the loader gives {name}, which the served model does not take")
    for name, item in served.items():
        if name not in batch.x:
            faults.append(f"the served model takes {name}, which the loader does not give")
            continue
        array = batch.x[name]
        datatype = triton_datatype(array.dtype)
        if datatype != item["datatype"]:
            faults.append(f"{name} is served as {item['datatype']}, the loader gives {datatype}")
        # JSON of gRPC writes 64-bit integers as text. Without batching, axis 0 has the size of the batch itself.
        shape = [int(size) for size in item["shape"]]
        given = list(array.shape)
        if len(shape) != len(given) or any(a not in (-1, b) for a, b in zip(shape, given)):
            faults.append(f"{name} is served as {shape}, the loader gives {given}")
    if kind.max_batch_size > 0 and batch_size > kind.max_batch_size:
        faults.append(
            f"batches of {batch_size} are more than the served maximum batch size {kind.max_batch_size}"
        )
    if kind.sequences and batch_size > 1:
        faults.append(
            f"batches of {batch_size} cannot be sent to a stateful model: it takes one item a request"
        )
    if faults:
        raise ToolkitError(
            "model-mismatch",
            "The served model does not match the loader: " + "; ".join(faults),
            remedy="Compare the model's configuration with dataloader.py, --precision and --batch-size.",
        )
    return {name: str(item["datatype"]) for name, item in served.items()}


def run(options: argparse.Namespace, report: Report) -> dict[str, Any]:
    """Sends requests ahead of the answers, within both bounds, and writes the answers in the loader's order."""
    folder = ModelFolder.from_options(options)
    bound: int = options.max_unresponded_requests
    report.progress(0.0, "Connecting to Triton")
    client = connect(
        options.url,
        options.protocol,
        options.model_name,
        options.model_version,
        bound,
        options.response_wait_time,
        Tls(options.tls_ca, options.tls_cert, options.tls_key, options.tls_server_name)
        if options.tls
        else None,
    )
    try:
        return _run(client, Batches(folder, options.limit), options, report)
    finally:
        client.close()


def _run(client: Client, batches: Batches, options: argparse.Namespace, report: Report) -> dict[str, Any]:
    metadata, kind = client.metadata(), client.kind()
    outputs = [item["name"] for item in metadata["outputs"]]
    datatypes: dict[str, str] | None = None
    total = batches.sample_count
    samples = count = 0
    started = time.monotonic()
    ahead = Ahead(options.max_unresponded_requests, options.max_unresponded_bytes)
    unresponded: deque[tuple[Batch, Callable[[float], Tensors]]] = deque()
    with new_directory(options.output_dir) as directory:
        writer = DumpWriter(directory)

        def take_oldest() -> None:
            nonlocal samples
            batch, wait = unresponded.popleft()
            outputs_of = wait(options.response_wait_time)
            ahead.answered(tensor_bytes(outputs_of))
            parts = {"outputs": outputs_of}
            if options.dump_labels:
                parts["labels"] = batch.y
            if options.dump_inputs:
                parts["inputs"] = batch.x
            writer.write(batch.ids, **parts)
            samples += len(batch.ids)
            report.progress(None if total is None else samples / total, f"{samples} samples answered")

        for batch in batches:
            if datatypes is None:
                datatypes = check_served(metadata, kind, batch, len(batch.ids))
            size = tensor_bytes(batch.x)
            while not ahead.has_room(size):
                take_oldest()
            ahead.sent(size)
            unresponded.append((batch, client.submit(batch.x, datatypes, outputs, batch.ids[0])))
            count += 1
        while unresponded:
            take_oldest()
        writer.flush()
    seconds = round(time.monotonic() - started, 3)
    return {"samples": samples, "batches": count, "seconds": seconds, "most_unresponded": ahead.most_seen}
