"""Outputs of a model served by Triton."""

from __future__ import annotations

import argparse
import time
from collections import deque
from typing import Any, Callable, Optional

from ..batches import Batch, Batches, Tensors
from ..checks.compared_batches import (
    GATHERED,
    Asked,
    Writers,
    add_asked_arguments,
    folder_of,
    gathered_rows,
    requests_of,
)
from ..datatypes import triton_datatype
from ..dumps import DumpWriter
from ..errors import ToolkitError
from ..files import new_directory
from ..model_folder import ModelFolder
from ..options import add_dump_arguments, add_model_arguments, at_least
from ..report import Report
from ..triton_client import Client, Executed, Kind, Tls, connect

#: How often the rows that are to be gathered are sent at once, until the server has made a batch of some: a fast model
#: answers the first before the second has come.
_TURNS = (1, 4, 16)
#: How long the server's counters are waited for.
_COUNTERS_S = 2.0

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
    add_asked_arguments(parser)
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
            f"batches of {batch_size} cannot be sent to a stateful model: it takes one item per request"
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
        return _run(client, folder, options, report)
    finally:
        client.close()


def _since(start: Executed, end: Executed) -> Executed:
    counts = {number: count - start.get(number, 0) for number, count in end.items()}
    return {number: count for number, count in counts.items() if count > 0}


class Asking:
    """Requests of chosen batch sizes, and some at once."""

    def __init__(self, client: Client, datatypes: dict[str, str], outputs: list[str], wait_s: float) -> None:
        self._client = client
        self._datatypes = datatypes
        self._outputs = outputs
        self._wait_s = wait_s

    def _submit(self, batch: Batch) -> Callable[[float], Tensors]:
        return self._client.submit(batch.x, self._datatypes, self._outputs, batch.ids[0])

    def alone(self, batch: Batch) -> Tensors:
        """Nothing else is under way."""
        return self._submit(batch)(self._wait_s)

    def _counted(self, done: Callable[[Executed, Executed], bool]) -> Executed:
        """The server's counters once `done` of the last two readings: they follow the answers by a moment."""
        until = time.monotonic() + _COUNTERS_S
        before = self._client.executed_batches()
        while True:
            time.sleep(0.02)
            after = self._client.executed_batches()
            if done(before, after) or time.monotonic() > until:
                return after
            before = after

    def together(self, rows: list[Batch]) -> tuple[list[Tensors], list[int]]:
        """The rows' answers, and the batch sizes that the server executed, ascending; none where it does not say."""
        size = sum(tensor_bytes(row.x) for row in rows)
        answers: list[Tensors] = []
        made: list[int] = []
        for turns in _TURNS:
            start = self._counted(lambda before, after: before == after)
            pending = [self._submit(row) for _ in range(turns) for row in rows]
            answers = [wait(self._wait_s) for wait in pending]
            sent = len(pending)

            def all_counted(
                _before: Executed, after: Executed, start: Executed = start, sent: int = sent
            ) -> bool:
                return (
                    not after or sum(number * count for number, count in _since(start, after).items()) >= sent
                )

            made = sorted(_since(start, self._counted(all_counted)))
            if (made and made[-1] > 1) or size * _TURNS[-1] > _UNRESPONDED_BYTES:
                break
        # The last ones had the most company.
        return answers[-len(rows) :], made


def _ask(asking: Asking, folder: ModelFolder, asked: Asked, writers: Writers, report: Report) -> list[int]:
    """Requests of each batch size; the batch sizes that the server made of the rows that were sent at once."""
    for size in asked.sizes:
        report.progress(None, f"Requests of batch size {size}")
        for batch in requests_of(folder, size, asked.samples):
            try:
                answer = asking.alone(batch)
            except ToolkitError as error:
                if error.code == "inference-failed":
                    error.message = f"At batch size {size}: {error.message}"
                raise
            writers.write(folder_of(size), batch, answer)
    if asked.gathered == 0:
        return []
    rows = gathered_rows(folder, asked)
    answers, made = asking.together(rows)
    for row, answer in zip(rows, answers):
        writers.write(GATHERED, row, answer)
    return made


def _run(client: Client, folder: ModelFolder, options: argparse.Namespace, report: Report) -> dict[str, Any]:
    batches = Batches(folder, options.limit)
    metadata, kind = client.metadata(), client.kind()
    outputs = [item["name"] for item in metadata["outputs"]]
    datatypes: dict[str, str] = {}
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
            if not datatypes:
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
        others = Writers(directory, {})
        asking = Asking(client, datatypes, outputs, options.response_wait_time)
        made = _ask(asking, folder, Asked.of(options), others, report)
        others.flush()
    seconds = round(time.monotonic() - started, 3)
    return {
        "samples": samples,
        "batches": count,
        "seconds": seconds,
        "most_unresponded": ahead.most_seen,
        "gathered": made,
    }
