#!/usr/bin/env python3
"""Checks that a Triton serves the model of this bundle as it was verified. Python 3.8 and later, no other package."""

import argparse
import hashlib
import http.client
import json
import math
import sys
import time
from pathlib import Path
from urllib.parse import urlsplit

from compare_outputs import CheckError, answer_difference, element_bytes, golden_difference

HERE = Path(__file__).resolve().parent
#: Requests that are sent before any is timed, and the fewest that a p99 is taken of.
WARM_UP = 20
FEWEST = 100


class RefusedError(CheckError):
    """Triton answered a request with an error."""


class Connection:
    """One connection to Triton that is kept open, as a client in production keeps it."""

    def __init__(self, url, timeout_s):
        parts = urlsplit(url if "://" in url else "http://" + url)
        if parts.scheme not in ("http", "https") or parts.hostname is None:
            raise CheckError(f"{url} is not an HTTP address; give one such as http://localhost:8000")
        kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        self.open = lambda: kind(parts.hostname, parts.port, timeout=timeout_s)
        self.prefix = parts.path.rstrip("/")
        self.connection = self.open()

    def ask(self, method, path, body=None, headers=None):
        """Status, headers and body of the answer; a broken connection is opened again by the next request."""
        try:
            self.connection.request(method, self.prefix + path, body=body, headers=headers or {})
            response = self.connection.getresponse()
            return response.status, response.headers, response.read()
        except (OSError, http.client.HTTPException) as error:
            self.connection.close()
            self.connection = self.open()
            raise CheckError(f"no answer: {error}") from error


def zeros(tensor):
    """BYTES: as many empty strings, each of which is its length in 4 bytes."""
    each = 4 if tensor["datatype"] == "BYTES" else element_bytes(tensor["datatype"])
    return dict(tensor, data=bytes(each * math.prod(tensor["shape"])))


#: Of a model that keeps a state: each request is a sequence of its own.
ONE_OF_SEQUENCE = {"sequence_id": 1, "sequence_start": True, "sequence_end": True}


def infer_body(inputs, parameters=None):
    """A request of the binary tensor extension, as it goes over the wire, with its headers."""
    header = json.dumps(
        {
            "inputs": [
                {
                    "name": tensor["name"],
                    "datatype": tensor["datatype"],
                    "shape": tensor["shape"],
                    "parameters": {"binary_data_size": len(tensor["data"])},
                }
                for tensor in inputs
            ],
            "parameters": dict(parameters or {}, binary_data_output=True),
        }
    ).encode()
    headers = {
        "Content-Type": "application/octet-stream",
        "Inference-Header-Content-Length": str(len(header)),
    }
    return b"".join([header, *(tensor["data"] for tensor in inputs)]), headers


def infer(connection, path, request):
    body, headers = request
    status, answered, answer = connection.ask("POST", path, body, headers)
    if status != 200:
        raise RefusedError(f"HTTP {status}: {answer[:500].decode(errors='replace')}")
    size = int(answered.get("Inference-Header-Content-Length") or len(answer))
    outputs, at = [], size
    for output in json.loads(answer[:size]).get("outputs", []):
        length = output.get("parameters", {}).get("binary_data_size")
        if length is None:
            raise CheckError(f"{output['name']} did not come as binary data")
        outputs.append(dict(output, data=answer[at : at + length]))
        at += length
    return outputs


def check_files():
    """Every file of the model repository is the one that was verified, and no other is there."""
    listed = {}
    for line in (HERE / "SHA256SUMS").read_text(encoding="utf-8").splitlines():
        digest, name = line.split("  ", 1)
        listed[name] = digest
    for name, digest in listed.items():
        path = HERE / name
        if not path.is_file():
            raise CheckError(f"{name} is missing")
        found = hashlib.sha256()
        with path.open("rb") as file:
            for block in iter(lambda: file.read(1 << 20), b""):
                found.update(block)
        if found.hexdigest() != digest:
            raise CheckError(f"the content of {name} changed")
    for path in sorted((HERE / "model-repository").rglob("*")):
        name = path.relative_to(HERE).as_posix()
        if path.is_file() and "__pycache__" not in path.parts and name not in listed:
            raise CheckError(f"{name} was added")
    return f"{len(listed)} files are unchanged since they were verified"


def check_ready(connection, expectation, wait_s):
    """Waits until Triton and the model are ready."""
    model, version = expectation["model"], expectation["version"]
    beside = expectation.get("beside", [])
    paths = [
        "/v2/health/ready",
        f"/v2/models/{model}/versions/{version}/ready",
        *(f"/v2/models/{name}/ready" for name in beside),
    ]
    begin = time.monotonic()
    reason = ""
    while True:
        try:
            ready = [connection.ask("GET", path)[0] for path in paths]
            if all(status == 200 for status in ready):
                others = f", with {', '.join(beside)}" if beside else ""
                return f"{model}, version {version}, is ready after {time.monotonic() - begin:.1f} s{others}"
            reason = f"HTTP {ready[0]} for the server, {ready[1]} for the model"
            missing = [name for name, status in zip(beside, ready[2:]) if status != 200]
            if missing:
                reason += f", not ready: {', '.join(missing)}"
        except CheckError as error:
            reason = str(error)
        if time.monotonic() - begin > wait_s:
            raise CheckError(f"not ready within {wait_s:g} s ({reason})")
        time.sleep(0.5)


def parameters_of(expectation):
    return ONE_OF_SEQUENCE if expectation.get("sequences") else None


STREAM_ONLY = "left out: the model is decoupled, and responds only over a gRPC stream"


def check_canary(connection, path, expectation):
    if expectation.get("decoupled"):
        return STREAM_ONLY
    request = infer_body(list(map(zeros, expectation["canary"])), parameters_of(expectation))
    try:
        outputs = infer(connection, path, request)
    except RefusedError as error:
        if not expectation.get("anyValues"):
            raise
        return f"the model refuses a request of zeros, and answers: {error}"
    if not outputs:
        raise CheckError("the answer has no output")
    return f"{len(outputs)} {'output' if len(outputs) == 1 else 'outputs'} to a request of zeros"


def read_samples():
    file = HERE / "samples" / "samples.json"
    if not file.exists():
        return {"lengths": {}, "samples": []}
    found = json.loads(file.read_text(encoding="utf-8"))
    for sample in found["samples"]:
        for tensor in sample["inputs"] + sample["outputs"]:
            tensor["data"] = (HERE / "samples" / tensor["file"]).read_bytes()
    return found


def repeated(tensor, rows):
    """So many rows along the first axis: those of the tensor, over and over."""
    have = tensor["shape"][0]
    if rows is None or have in (0, rows):
        return tensor
    width = len(tensor["data"]) // have
    data = (tensor["data"] * (rows // have + 1))[: rows * width]
    return dict(tensor, shape=[rows, *tensor["shape"][1:]], data=data)


def check_samples(connection, path, found):
    check = json.loads((HERE / "samples" / "check.json").read_text(encoding="utf-8"))
    rules = found.get("rules")
    singles, batches = 0, []
    for sample in found["samples"]:
        rows = sample.get("repeat")
        inputs, wanted = (
            [repeated(tensor, rows) for tensor in sample[side]] for side in ("inputs", "outputs")
        )
        outputs = infer(connection, path, infer_body(inputs))
        if rules is None:
            difference = answer_difference(wanted, outputs, check, found["lengths"])
        else:
            difference = golden_difference(wanted, outputs, rules)
        if difference is not None:
            what = f"sample {sample['id']}" if rows is None else f"batch of {rows} samples"
            raise CheckError(f"{what}: {difference}")
        if rows is None:
            singles += 1
        else:
            batches.append(f" and a batch of {rows}")
    by = "within the tolerances of the run" if rules is None else f"as {found['golden']} has them"
    return f"{singles} samples{''.join(batches)} are answered {by}"


def latency_inputs(expectation, found):
    """A kept sample where it has the batch size that was measured, else zeros of it."""
    batch = expectation["latency"]["batchSize"]
    if not expectation["batched"]:
        return found["samples"][0]["inputs"] if found["samples"] else list(map(zeros, expectation["canary"]))
    for sample in found["samples"]:
        inputs = [repeated(tensor, sample.get("repeat")) for tensor in sample["inputs"]]
        if all(tensor["shape"][:1] == [batch] for tensor in inputs):
            return inputs
    return [zeros(dict(tensor, shape=[batch, *tensor["shape"][1:]])) for tensor in expectation["canary"]]


def check_latency(connection, path, expectation, found, seconds):
    bound = expectation["latency"]
    request = infer_body(latency_inputs(expectation, found), parameters_of(expectation))
    times = []
    for _ in range(WARM_UP):
        infer(connection, path, request)
    end = time.monotonic() + seconds
    while time.monotonic() < end or len(times) < FEWEST:
        begin = time.perf_counter()
        infer(connection, path, request)
        times.append((time.perf_counter() - begin) * 1e3)
    times.sort()
    p99 = times[min(len(times) - 1, math.ceil(0.99 * len(times)) - 1)]
    limit = f"limit {bound['limitMs']:.2f} ms: {bound['text']}"
    text = f"p99 {p99:.2f} ms of {len(times)} requests one after the other ({limit})"
    if p99 > bound["limitMs"]:
        raise CheckError(text)
    return text


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    default = "(default: %(default)s)"
    parser.add_argument("--url", default="http://localhost:8000", help=f"HTTP address of Triton {default}")
    parser.add_argument("--wait", type=float, default=300, help=f"seconds to wait for the model {default}")
    parser.add_argument("--seconds", type=float, default=5, help=f"seconds to measure latency for {default}")
    parser.add_argument("--skip-latency", action="store_true", help="do not measure latency")
    return parser.parse_args()


def main():
    chosen = arguments()
    expectation = json.loads((HERE / "expectation.json").read_text(encoding="utf-8"))
    path = f"/v2/models/{expectation['model']}/versions/{expectation['version']}/infer"
    found = read_samples()

    def samples(connection):
        if expectation.get("decoupled"):
            return STREAM_ONLY
        return check_samples(connection, path, found) if found["samples"] else "left out: the run kept none"

    def latency(connection):
        if chosen.skip_latency:
            return "left out (--skip-latency)"
        if expectation["latency"] is None:
            return "left out: the run has no steady level of one model to compare with"
        if expectation.get("decoupled"):
            return STREAM_ONLY
        try:
            return check_latency(connection, path, expectation, found, chosen.seconds)
        except RefusedError:
            if found["samples"] or not expectation.get("anyValues"):
                raise
            return "left out: the model refuses a request of zeros, and the run kept no samples"

    checks = [
        ("files", lambda _connection: check_files()),
        ("ready", lambda connection: check_ready(connection, expectation, chosen.wait)),
        ("canary", lambda connection: check_canary(connection, path, expectation)),
        ("samples", samples),
        ("latency", latency),
    ]
    try:
        connection = Connection(chosen.url, 120)
    except CheckError as error:
        print(f"FAIL  url: {error}")
        return 1
    failed = False
    for name, check in checks:
        try:
            line = f"ok    {name}: {check(connection)}"
        except (CheckError, OSError, ValueError, KeyError) as error:
            line = f"FAIL  {name}: {error}"
            failed = True
        print(line, flush=True)
        if name == "ready" and line.startswith("FAIL"):
            break
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
