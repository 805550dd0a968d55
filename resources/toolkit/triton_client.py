"""Requests to a Triton Inference Server over gRPC or HTTP, answered in the order of sending."""

from __future__ import annotations

import secrets
from abc import ABC, abstractmethod
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout
from typing import Any, Callable, NamedTuple, Optional, Protocol

from .batches import Tensors
from .errors import ToolkitError, runtime_reason
from .texts import as_bytes, as_texts, is_text

#: Gives the outputs of one request, waiting at most so many seconds.
Pending = Callable[[float], Tensors]
#: How many batches of each size a model has executed; empty where the server does not say.
Executed = dict[int, int]


class Tls(NamedTuple):
    """How gRPC speaks TLS; files are PEM. Without authorities those of gRPC itself count."""

    ca: Optional[str] = None
    cert: Optional[str] = None
    key: Optional[str] = None
    server_name: Optional[str] = None

    def options(self) -> dict[str, Any]:
        """Arguments of tritonclient.grpc's client."""
        named: dict[str, Any] = {
            "ssl": True,
            "root_certificates": self.ca,
            "private_key": self.key,
            "certificate_chain": self.cert,
        }
        if self.server_name is not None:
            named["channel_args"] = [("grpc.ssl_target_name_override", self.server_name)]
        return named


class Kind(NamedTuple):
    """What of a model's configuration decides how it is asked."""

    max_batch_size: int
    #: `sequence_batching`: each request is sent as a sequence of its own, of one item.
    sequences: bool
    #: `model_transaction_policy`: it answers over a gRPC stream, any number of times.
    decoupled: bool


def _kind_of(config: dict[str, Any]) -> Kind:
    return Kind(
        int(config.get("max_batch_size", 0)),
        "sequence_batching" in config,
        bool(config.get("model_transaction_policy", {}).get("decoupled", False)),
    )


class Client(Protocol):
    def metadata(self) -> dict[str, Any]: ...

    def kind(self) -> Kind: ...

    def executed_batches(self) -> Executed: ...

    def submit(
        self, x: Tensors, datatypes: dict[str, str], outputs: list[str], request_id: str
    ) -> Pending: ...

    def close(self) -> None: ...


def _failure(error: BaseException, url: str, doing: str, code: str) -> ToolkitError:
    text = str(error).strip() or type(error).__name__
    lost = isinstance(error, OSError) or any(
        mark in text for mark in ("StatusCode.UNAVAILABLE", "connection", "Connection", "refused")
    )
    if lost:
        code = "server-gone" if code == "inference-failed" else "server-unreachable"
    return ToolkitError(code, f"{doing}: {runtime_reason(text.splitlines()[0])}", where=url, details=text)


def _not_answered(seconds: float, url: str) -> ToolkitError:
    return ToolkitError(
        "inference-failed",
        f"No response within {seconds:g} s",
        where=url,
        remedy="Raise --response-wait-time, or check the server log for the cause of the delay.",
    )


class _TritonClient(ABC):
    """What the two protocols share; `module` is tritonclient.grpc or tritonclient.http."""

    def __init__(self, module: Any, client: Any, url: str, model: str, version: str) -> None:
        self._module = module
        self._client = client
        self._url = url
        self._model = model
        self._version = version
        self._kind: Optional[Kind] = None
        # Correlation ids that no other client of the server has open.
        self._sequence = secrets.randbelow(2**31)

    @abstractmethod
    def _config(self) -> dict[str, Any]:
        """The served model's configuration, by config.pbtxt's names."""

    def kind(self) -> Kind:
        """Of the served model, asked once."""
        if self._kind is None:
            self._kind = _kind_of(self._config())
        return self._kind

    @abstractmethod
    def _statistics(self) -> dict[str, Any]:
        """The answer of Triton's statistics extension."""

    def executed_batches(self) -> Executed:
        """As the server counts them, whoever asked."""
        try:
            entries = self._statistics().get("model_stats", [])
        except Exception:
            # An extension: nothing depends on it but what is said of gathered requests.
            return {}
        found: Executed = {}
        for batch in (item for entry in entries for item in entry.get("batch_stats", [])):
            # JSON of gRPC writes 64-bit integers as text, and leaves out zeros.
            size, count = int(batch.get("batch_size", 0)), int(batch.get("compute_infer", {}).get("count", 0))
            if size > 0 and count > 0:
                found[size] = found.get(size, 0) + count
        return found

    def _ask(self, doing: str, call: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
        try:
            return call(*arguments, **named)
        except Exception as error:
            raise _failure(error, self._url, doing, "model-not-ready") from error

    def check_ready(self) -> None:
        """Throws server-unreachable or model-not-ready."""
        self._ask("Triton does not answer", self._client.is_server_live)
        if not self._ask("Triton does not answer", self._client.is_model_ready, self._model, self._version):
            raise ToolkitError(
                "model-not-ready",
                f"The model {self._model}, version {self._version}, is not ready",
                where=self._url,
            )

    def _request(
        self, x: Tensors, datatypes: dict[str, str], outputs: list[str], request_id: str
    ) -> dict[str, Any]:
        inputs = []
        for name, datatype in datatypes.items():
            tensor = self._module.InferInput(name, list(x[name].shape), datatype)
            tensor.set_data_from_numpy(as_bytes(x[name]) if is_text(x[name]) else x[name])
            inputs.append(tensor)
        request: dict[str, Any] = {
            "model_name": self._model,
            "inputs": inputs,
            "model_version": self._version,
            "outputs": [self._module.InferRequestedOutput(name) for name in outputs],
            "request_id": request_id,
        }
        if self.kind().sequences:
            self._sequence += 1
            request.update(sequence_id=self._sequence, sequence_start=True, sequence_end=True)
        return request

    @staticmethod
    def _outputs(result: Any, names: list[str]) -> Tensors:
        arrays = {name: result.as_numpy(name) for name in names}
        absent = [name for name, array in arrays.items() if array is None]
        if absent:
            raise ToolkitError("inference-failed", f"The response lacks the output {', '.join(absent)}")
        return {name: as_texts(array) if array.dtype.kind == "O" else array for name, array in arrays.items()}

    def close(self) -> None:
        self._client.close()


class _Streamed:
    """A request over a stream, and what has come to it so far."""

    def __init__(self) -> None:
        self.answers: Future[list[Any]] = Future()
        self.results: list[Any] = []


class GrpcClient(_TritonClient):
    def __init__(self, url: str, model: str, version: str, tls: Tls | None = None) -> None:
        from tritonclient import grpc

        try:
            client = grpc.InferenceServerClient(url, **({} if tls is None else tls.options()))
        except OSError as error:
            raise ToolkitError(
                "input-invalid", f"A file for TLS cannot be read: {error}", where=url
            ) from error
        super().__init__(grpc, client, url, model, version)
        self._streamed: dict[str, _Streamed] = {}
        self._streaming = False
        self._count = 0

    def metadata(self) -> dict[str, Any]:
        value: dict[str, Any] = self._ask(
            "No model metadata", self._client.get_model_metadata, self._model, self._version, as_json=True
        )
        return value

    def _config(self) -> dict[str, Any]:
        value = self._ask(
            "No model configuration", self._client.get_model_config, self._model, self._version, as_json=True
        )
        config: dict[str, Any] = value["config"]
        return config

    def _statistics(self) -> dict[str, Any]:
        value: dict[str, Any] = self._client.get_inference_statistics(
            self._model, self._version, as_json=True
        )
        return value

    def _on_answer(self, result: Any, error: Any) -> None:
        """Called by tritonclient's thread; an error does not say of which request it is."""
        if error is not None:
            for streamed in list(self._streamed.values()):
                if not streamed.answers.done():
                    streamed.answers.set_exception(error)
            return
        response = result.get_response()
        streamed = self._streamed[response.id]
        if response.outputs:
            streamed.results.append(result)
        if response.parameters["triton_final_response"].bool_param:
            streamed.answers.set_result(streamed.results)

    def _submit_streamed(self, request: dict[str, Any], outputs: list[str]) -> Pending:
        """Throws combination-unsupported when the request is not answered once: the framework answers once."""
        self._count += 1
        asked, key = request["request_id"], f"{self._count}"
        streamed = _Streamed()
        self._streamed[key] = streamed
        if not self._streaming:
            self._ask("No stream", self._client.start_stream, callback=self._on_answer)
            self._streaming = True
        request["request_id"] = key
        self._ask(
            "The request could not be sent",
            self._client.async_stream_infer,
            enable_empty_final_response=True,
            **request,
        )

        def take(seconds: float) -> Tensors:
            results = streamed.answers.result(timeout=seconds)
            del self._streamed[key]
            if len(results) != 1:
                raise ToolkitError(
                    "combination-unsupported",
                    f"The request {asked} got {len(results)} responses; the framework returns one, "
                    "so the outputs cannot be compared",
                    where="model_transaction_policy",
                    remedy="Measure the model where it is served: perf --url ... --streaming.",
                )
            return self._outputs(results[0], outputs)

        return self._waiting(take, asked)

    def _waiting(self, take: Pending, request_id: str) -> Pending:
        def wait(seconds: float) -> Tensors:
            try:
                return take(seconds)
            except FutureTimeout:
                raise _not_answered(seconds, self._url) from None
            except self._module.InferenceServerException as error:
                raise _failure(
                    error, self._url, f"The request {request_id} failed", "inference-failed"
                ) from error

        return wait

    def submit(self, x: Tensors, datatypes: dict[str, str], outputs: list[str], request_id: str) -> Pending:
        answer: Future[Any] = Future()

        def done(result: Any, error: Any) -> None:
            if error is None:
                answer.set_result(result)
            else:
                answer.set_exception(error)

        request = self._request(x, datatypes, outputs, request_id)
        if self.kind().decoupled:
            return self._submit_streamed(request, outputs)
        self._ask("The request could not be sent", self._client.async_infer, callback=done, **request)
        return self._waiting(
            lambda seconds: self._outputs(answer.result(timeout=seconds), outputs), request_id
        )

    def close(self) -> None:
        if self._streaming:
            self._client.stop_stream(cancel_requests=True)
        super().close()


class HttpClient(_TritonClient):
    def __init__(self, url: str, model: str, version: str, requests: int, response_wait_s: float) -> None:
        from tritonclient import http

        client = http.InferenceServerClient(url, concurrency=requests, network_timeout=response_wait_s)
        super().__init__(http, client, url, model, version)

    def metadata(self) -> dict[str, Any]:
        value: dict[str, Any] = self._ask(
            "No model metadata", self._client.get_model_metadata, self._model, self._version
        )
        return value

    def _config(self) -> dict[str, Any]:
        value: dict[str, Any] = self._ask(
            "No model configuration", self._client.get_model_config, self._model, self._version
        )
        return value

    def _statistics(self) -> dict[str, Any]:
        value: dict[str, Any] = self._client.get_inference_statistics(self._model, self._version)
        return value

    def submit(self, x: Tensors, datatypes: dict[str, str], outputs: list[str], request_id: str) -> Pending:
        if self.kind().decoupled:
            raise ToolkitError(
                "combination-unsupported",
                f"The model {self._model} is decoupled: it responds only over a gRPC stream",
                where="model_transaction_policy",
                remedy="Use --protocol grpc.",
            )
        request = self._request(x, datatypes, outputs, request_id)
        pending = self._ask("The request could not be sent", self._client.async_infer, **request)

        def wait(seconds: float) -> Tensors:
            try:
                return self._outputs(pending.get_result(timeout=seconds), outputs)
            except (self._module.InferenceServerException, OSError) as error:
                # What gevent's client says when either time limit is reached.
                if (
                    isinstance(error, TimeoutError)
                    or "failed to obtain" in str(error)
                    or "timed out" in str(error)
                ):
                    raise _not_answered(seconds, self._url) from None
                raise _failure(
                    error, self._url, f"The request {request_id} failed", "inference-failed"
                ) from error

        return wait


def connect(
    url: str,
    protocol: str,
    model: str,
    version: str,
    requests: int,
    response_wait_s: float,
    tls: Tls | None = None,
) -> Client:
    """A client whose model is ready. `url` is host:port; TLS is gRPC's alone.
    Throws input-invalid, server-unreachable or model-not-ready."""
    address = url.split("://", 1)[-1].rstrip("/")
    client: GrpcClient | HttpClient
    if protocol == "grpc":
        client = GrpcClient(address, model, version, tls)
    else:
        client = HttpClient(address, model, version, requests, response_wait_s)
    client.check_ready()
    return client
