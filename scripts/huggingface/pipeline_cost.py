"""What a pipeline costs beside tensors and the tokenizer of the framework in the client, in turns on one server.

`pipeline_cost.py URL NAME FOLDER TEXTS [ROUNDS]` prints one JSON document. Run with the environment of the component
Transformers; the server has the models NAME (the ensemble) and NAME-model.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Callable, NamedTuple

import numpy as np

#: Two-sided 95 % of Student's t for 9, 19, 29, 39 degrees of freedom; 1.96 beyond.
_T = ((9, 2.262), (19, 2.093), (29, 2.045), (39, 2.023))
_BATCHES = (1, 8)


class Mean(NamedTuple):
    """Of rounds, with the half-width of its 95 % interval."""

    ms: float
    half: float


def mean(values: Sequence[float]) -> Mean:
    count = len(values)
    factor = next((t for most, t in _T if count - 1 <= most), 1.96)
    return Mean(float(np.mean(values)), float(factor * np.std(values, ddof=1) / np.sqrt(count)))


class Sides:
    """The two ways to the same answer."""

    def __init__(self, url: str, name: str, folder: str) -> None:
        import transformers
        import tritonclient.grpc as grpc

        self._grpc: Any = grpc
        self.client: Any = grpc.InferenceServerClient(url)
        self.name = name
        config = self.client.get_model_config(f"{name}-model", as_json=True)["config"]
        self._inputs = [tensor["name"] for tensor in config["input"]]
        self._output = config["output"][0]["name"]
        self._tokenizer: Any = transformers.AutoTokenizer.from_pretrained(folder, local_files_only=True)
        labels = json.loads((Path(folder) / "config.json").read_text(encoding="utf-8")).get("id2label", {})
        self._labels = [labels[key] for key in sorted(labels, key=int)]
        self._longest = min(self._tokenizer.model_max_length, 64)

    def tensors(self, texts: list[str]) -> dict[str, float]:
        """Milliseconds of each step."""
        start = time.perf_counter()
        rows = self._tokenizer(
            texts, return_tensors="np", padding=True, truncation=True, max_length=self._longest
        )
        tokenized = time.perf_counter()
        inputs = []
        for name in self._inputs:
            array = np.asarray(rows[name], np.int64)
            tensor = self._grpc.InferInput(name, array.shape, "INT64")
            tensor.set_data_from_numpy(array)
            inputs.append(tensor)
        logits = self.client.infer(f"{self.name}-model", inputs).as_numpy(self._output)
        answered = time.perf_counter()
        if self._output == "logits":
            powers = np.exp(logits - logits.max(axis=-1, keepdims=True))
            scores = powers / powers.sum(axis=-1, keepdims=True)
            _ = [(self._labels[best], scores[row, best]) for row, best in enumerate(scores.argmax(axis=-1))]
        ended = time.perf_counter()
        steps = {"tokenizer": tokenized - start, "request": answered - tokenized, "labels": ended - answered}
        return {"whole": (ended - start) * 1e3, **{name: value * 1e3 for name, value in steps.items()}}

    def pipeline(self, texts: list[str]) -> dict[str, float]:
        start = time.perf_counter()
        tensor = self._grpc.InferInput("TEXT", [len(texts), 1], "BYTES")
        tensor.set_data_from_numpy(np.array([[text.encode()] for text in texts], object))
        answer = self.client.infer(self.name, [tensor])
        output = "LABEL" if self._output == "logits" else "EMBEDDING"
        assert len(answer.as_numpy(output)) == len(texts)
        return {"whole": (time.perf_counter() - start) * 1e3}

    def spent(self) -> dict[str, tuple[int, float]]:
        """Of each step since the server began: executed requests, and milliseconds in queue and execution."""
        found = {}
        for step in ("tokenizer", "model", "labels"):
            model = f"{self.name}-{step}"
            if not self.client.is_model_ready(model):
                continue
            stats = self.client.get_inference_statistics(model, as_json=True)["model_stats"][0]
            success = stats["inference_stats"]["success"]
            found[step] = (int(success["count"]), int(success["ns"]) / 1e6)
        return found


def _rounds(call: Callable[[list[str]], dict[str, float]], batches: list[list[str]]) -> dict[str, float]:
    """Means over the batches of a round."""
    found = [call(batch) for batch in batches]
    return {name: float(np.mean([one[name] for one in found])) for name in found[0]}


def measure(sides: Sides, texts: list[str], size: int, rounds: int) -> dict[str, Any]:
    generator = np.random.default_rng(size)
    batches = [texts[start : start + size] for start in range(0, len(texts) - size + 1, size)]
    for _ in range(3):
        _rounds(sides.tensors, batches)
        _rounds(sides.pipeline, batches)
    tensors, pipeline, steps = [], [], []
    for _ in range(rounds):
        for of_pipeline in generator.permutation([False, True]):
            if not of_pipeline:
                tensors.append(_rounds(sides.tensors, batches))
                continue
            before = sides.spent()
            pipeline.append(_rounds(sides.pipeline, batches))
            after = sides.spent()
            steps.append(
                {
                    step: (after[step][1] - ms) / max(1, after[step][0] - count)
                    for step, (count, ms) in before.items()
                }
            )
    extra = [one["whole"] - other["whole"] for one, other in zip(pipeline, tensors)]
    return {
        "batch": size,
        "rounds": rounds,
        "tensors": {name: mean([one[name] for one in tensors]) for name in tensors[0]},
        "pipeline": {
            "whole": mean([one["whole"] for one in pipeline]),
            **{step: mean([one[step] for one in steps]) for step in steps[0]},
        },
        "extra": mean(extra),
    }


def main(arguments: list[str]) -> None:
    url, name, folder, texts = arguments[:4]
    rounds = int(arguments[4]) if len(arguments) > 4 else 20
    lines = [line for line in Path(texts).read_text(encoding="utf-8").splitlines() if line.strip() != ""]
    sides = Sides(url, name, folder)
    json.dump([measure(sides, lines, size, rounds) for size in _BATCHES], sys.stdout)


if __name__ == "__main__":
    main(sys.argv[1:])
