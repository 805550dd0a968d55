"""The language model: a prompt to the text that follows, token by token, with the key-value cache of transformers.

Needs torch and transformers in the Python of the server. An instance serves one request at a time, in the order of
arrival; further instances of config.pbtxt serve more, each with the weights in memory.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Callable, Optional

import numpy as np
import triton_python_backend_utils as pb_utils

HERE = Path(__file__).resolve().parent

#: What a request may ask for, and what it gets where it does not. Temperature 0: always the most probable token.
SAMPLING: dict[str, Any] = {
    "max_tokens": 16,
    "min_tokens": 0,
    "temperature": 0.0,
    "top_p": 1.0,
    "seed": None,
    "ignore_eos": False,
    "stop": [],
}


class Detokenizer:
    """Tokens to pieces of text. A token that ends within a character waits for those that complete it."""

    def __init__(self, decode: Callable[[list[int]], str], prompt: list[int]) -> None:
        self.decode = decode
        # The token before decides, for example, whether a space separates two words.
        self.tokens = list(prompt)
        self.start, self.shown = 0, len(prompt)

    def add(self, token: int) -> str:
        self.tokens.append(token)
        return self.piece(is_last=False)

    def piece(self, is_last: bool) -> str:
        known = self.decode(self.tokens[self.start : self.shown])
        text = self.decode(self.tokens[self.start :])
        if len(text) <= len(known) or (text.endswith("\ufffd") and not is_last):
            return ""
        self.start, self.shown = self.shown, len(self.tokens)
        return text[len(known) :]


class StopWords:
    """Ends a text before the first of the words. What may be the beginning of one waits for the next piece."""

    def __init__(self, words: list[str]) -> None:
        self.words = words
        self.held = ""

    def cut(self, piece: str) -> tuple[str, bool]:
        """What comes before, and whether there was such a word."""
        text = self.held + piece
        found = [text.find(word) for word in self.words if word in text]
        if found:
            return text[: min(found)], True
        begun = [n for word in self.words for n in range(1, len(word)) if text.endswith(word[:n])]
        end = len(text) - max(begun, default=0)
        self.held = text[end:]
        return text[:end], False


class EndedError(Exception):
    """The rest of the text is not needed."""


class Streamer:
    """What transformers hands each token to: first those of the prompt, then one after the other."""

    def __init__(
        self,
        texts: Detokenizer,
        stop: StopWords,
        send: Callable[[str], None],
        is_cancelled: Callable[[], bool],
    ) -> None:
        self.texts, self.stop, self.send, self.is_cancelled = texts, stop, send, is_cancelled
        self.is_prompt = True

    def put(self, tokens: Any) -> None:
        if self.is_prompt:
            self.is_prompt = False
            return
        if self.is_cancelled():
            raise EndedError
        self.add(self.texts.add(int(tokens[0])))

    def add(self, piece: str) -> None:
        text, is_stopped = self.stop.cut(piece)
        if text != "":
            self.send(text)
        if is_stopped:
            raise EndedError

    def end(self) -> None:
        self.add(self.texts.piece(is_last=True))
        if self.stop.held != "":
            self.send(self.stop.held)


def value_of(request: Any, name: str, usual: Any) -> Any:
    tensor = pb_utils.get_input_tensor_by_name(request, name)
    return usual if tensor is None else tensor.as_numpy().reshape(-1)[0]


def sampling_of(request: Any) -> dict[str, Any]:
    """`sampling_parameters`, a JSON text, or the parameters of the request. Raises ValueError."""
    text = value_of(request, "sampling_parameters", b"")
    given: Any = json.loads(text or request.parameters() or "{}")
    unknown = [name for name in given if name not in SAMPLING] if text else []
    if unknown:
        raise ValueError(f"sampling_parameters: {unknown[0]} is not one of {', '.join(SAMPLING)}")
    asked = {name: given.get(name, usual) for name, usual in SAMPLING.items()}
    for name, kind in (("max_tokens", int), ("min_tokens", int), ("temperature", float), ("top_p", float)):
        asked[name] = kind(asked[name])
    asked["stop"] = [asked["stop"]] if isinstance(asked["stop"], str) else list(asked["stop"])
    if asked["max_tokens"] < 1 or asked["temperature"] < 0 or "" in asked["stop"]:
        raise ValueError("max_tokens has to be at least 1, temperature at least 0, and stop words not empty")
    return asked


def response_of(text: str) -> Any:
    return pb_utils.InferenceResponse([pb_utils.Tensor("text_output", np.array([text.encode()], object))])


class TritonPythonModel:
    """See the documentation of Triton's Python backend."""

    def initialize(self, args: dict[str, str]) -> None:
        settings = json.loads((HERE / "generation.json").read_text(encoding="utf-8"))
        # The interpreter of Triton's backend is isolated from PYTHONPATH.
        sys.path.extend(place for place in os.environ.get("PYTHONPATH", "").split(os.pathsep) if place)
        try:
            import torch
            import transformers
        except ImportError as error:
            needed = f"pip install torch transformers=={settings['transformers']}"
            raise pb_utils.TritonModelException(
                f"{error}. The Python of the server needs: {needed}"
            ) from error

        self.torch: Any = torch
        self.most_tokens: int = settings["most_tokens"]
        # Of a model with an encoder; otherwise prompt and answer share the positions.
        self.most_answer: Optional[int] = settings["most_answer_tokens"]
        is_gpu = args["model_instance_kind"] == "GPU"
        self.device = f"cuda:{args['model_instance_device_id']}" if is_gpu else "cpu"
        # Only these files: nothing is downloaded, no code beside the weights runs, and nothing is unpickled.
        local: Any = {"local_files_only": True, "trust_remote_code": False}
        folder = str(HERE / "model")
        self.tokenizer: Any = transformers.AutoTokenizer.from_pretrained(folder, **local)
        load = getattr(transformers, settings["class"]).from_pretrained
        self.model: Any = load(folder, use_safetensors=True, dtype=torch.float32, **local)
        self.model.to(self.device).eval()

    def execute(self, requests: Sequence[Any]) -> None:
        final = pb_utils.TRITONSERVER_RESPONSE_COMPLETE_FINAL
        for request in requests:
            sender = request.get_response_sender()
            try:
                self.answer(request, sender)
            except Exception as error:  # The client waits for an answer, whatever failed.
                refused = pb_utils.InferenceResponse(error=pb_utils.TritonError(str(error)))
                sender.send(refused, flags=final)
            else:
                sender.send(flags=final)

    def answer(self, request: Any, sender: Any) -> None:
        asked = sampling_of(request)
        text = value_of(request, "text_input", b"").decode("utf-8", "replace")
        prompt = self.prompt_of(text)
        is_streamed = bool(value_of(request, "stream", False))
        begins = "" if value_of(request, "exclude_input_in_output", True) else text
        if begins != "" and is_streamed:
            raise ValueError(
                "A stream does not have the prompt: leave exclude_input_in_output out, or set it to true"
            )
        sent: list[str] = []

        def send(text: str) -> None:
            sent.append(text)
            if is_streamed:
                sender.send(response_of(text))

        with suppress(EndedError):
            self.generate(prompt, asked, send, sender.is_cancelled)
        # A request has an answer, even where the model ends at once.
        if not is_streamed or sent == []:
            sender.send(response_of(begins + "".join(sent)))

    def prompt_of(self, text: str) -> dict[str, Any]:
        """Rows of tokens. Raises ValueError for a prompt that the model does not take."""
        given = self.tokenizer(text, return_tensors="pt")
        tokens = {name: given[name] for name in ("input_ids", "attention_mask")}
        if tokens["input_ids"].shape[1] == 0:
            if self.tokenizer.bos_token_id is None:
                raise ValueError("The prompt is empty")
            first = self.torch.tensor([[self.tokenizer.bos_token_id]])
            tokens = {"input_ids": first, "attention_mask": self.torch.ones_like(first)}
        length = tokens["input_ids"].shape[1]
        most = self.most_tokens if self.most_answer is not None else self.most_tokens - 1
        if length > most:
            raise ValueError(
                f"The prompt has {length} tokens, and the model takes at most {most}: shorten it"
            )
        return {name: rows.to(self.device) for name, rows in tokens.items()}

    def generate(
        self,
        prompt: dict[str, Any],
        asked: dict[str, Any],
        send: Callable[[str], None],
        is_cancelled: Callable[[], bool],
    ) -> None:
        before = [] if self.most_answer is not None else prompt["input_ids"][0].tolist()
        tokens = min(asked["max_tokens"], self.most_answer or self.most_tokens - len(before))
        how: dict[str, Any] = {"max_new_tokens": tokens, "num_beams": 1, "do_sample": False}
        if asked["temperature"] > 0:
            how.update(do_sample=True, temperature=asked["temperature"], top_p=asked["top_p"])
        if asked["seed"] is not None:
            self.torch.manual_seed(int(asked["seed"]))
        # So long the token that ends the text is not chosen.
        least = tokens if asked["ignore_eos"] else min(asked["min_tokens"], tokens)
        if least > 0:
            how["min_new_tokens"] = least
        streamer = Streamer(Detokenizer(self.decode, before), StopWords(asked["stop"]), send, is_cancelled)
        self.model.generate(**prompt, **how, streamer=streamer)

    def decode(self, tokens: list[int]) -> str:
        text: str = self.tokenizer.decode(
            tokens, skip_special_tokens=True, clean_up_tokenization_spaces=False
        )
        return text
