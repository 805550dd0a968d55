"""Writes model.onnx and samples.json. Input: the token IDs of a message. Output: the scores of three topics.

An embedding, its mean over the tokens of the message, and a linear layer. Tokens are words by their hash, so that no
vocabulary is needed; ID 0 is padding. Run it with a Python that has numpy and onnx.
"""

from __future__ import annotations

import json
import zlib
from pathlib import Path

import numpy as np
import numpy.typing as npt
import onnx
from onnx import TensorProto, helper, numpy_helper

VOCABULARY, LENGTH, WIDTH = 512, 16, 16

#: Words that mark a topic: billing, shipping, returns.
TOPICS = (
    ("invoice", "refund", "charged", "card", "payment", "price"),
    ("parcel", "delivery", "courier", "late", "address", "tracking"),
    ("broken", "return", "exchange", "wrong", "size", "warranty"),
)


def tokens(message: str) -> list[int]:
    """LENGTH ids: words beyond it are left out, and missing ones are 0."""
    ids = [1 + zlib.crc32(word.encode()) % (VOCABULARY - 1) for word in message.lower().split()]
    return [*ids, *[0] * LENGTH][:LENGTH]


def embedding(generator: np.random.Generator) -> npt.NDArray[np.float32]:
    """A row per token; those of a topic's words point into its direction."""
    table = generator.normal(0, 0.1, (VOCABULARY, WIDTH))
    table[0] = 0
    for topic, words in enumerate(TOPICS):
        for word in words:
            table[tokens(word)[0], topic] += 3
    return table.astype(np.float32)


def main() -> None:
    folder = Path(__file__).parent
    generator = np.random.default_rng(11)
    head = np.eye(WIDTH, len(TOPICS), dtype=np.float32)
    axes = np.array([1], dtype=np.int64)
    graph = helper.make_graph(
        [
            helper.make_node("Gather", ["table", "token_ids"], ["embedded"]),
            helper.make_node("ReduceSum", ["embedded", "axes"], ["message"], keepdims=0),
            helper.make_node("MatMul", ["message", "head"], ["logits"]),
            helper.make_node("Softmax", ["logits"], ["scores"], axis=1),
        ],
        "topics",
        [helper.make_tensor_value_info("token_ids", TensorProto.INT64, ["batch", LENGTH])],
        [helper.make_tensor_value_info("scores", TensorProto.FLOAT, ["batch", len(TOPICS)])],
        [
            numpy_helper.from_array(embedding(generator), "table"),
            numpy_helper.from_array(head, "head"),
            numpy_helper.from_array(axes, "axes"),
        ],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model)
    onnx.save(model, folder / "model.onnx")
    messages = [f"my {first} and the {second}" for words in TOPICS for first in words for second in words]
    samples = {"token_ids": [tokens(message) for message in messages]}
    (folder / "samples.json").write_text(json.dumps(samples) + "\n")


if __name__ == "__main__":
    main()
