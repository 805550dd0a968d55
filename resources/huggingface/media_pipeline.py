"""What a pipeline of images or audio has beside the exported model, and samples of what it has to answer.

The samples are of the framework itself in fp32, each image or recording by itself; the pipeline gets them one by one
and in batches of those that come to one shape.
"""

from __future__ import annotations

import base64
import json
import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Callable, Optional

import numpy as np

from toolkit.errors import ToolkitError

from .labeled_texts import Truth
from .media_reference import OUTPUTS, MediaAnswer, MediaReference
from .media_samples import Item, images, sounds
from .model import load_folder
from .own_media import OwnItem, OwnSamples, Wanted, opened, read_folder
from .text_samples import FEW, batches_of
from .tokenizer_step import copy_library

#: Characters of base64: what is read of a golden file and of a load, with room for the rest.
MOST_GOLDEN = 60 * 2**20
MOST_LOAD = 28 * 2**20
#: Tasks whose outputs have another size for each sample.
VARYING = ("object-detection", "image-segmentation")


def raw_bytes(values: Sequence[bytes]) -> str:
    """BYTES as they are sent, each behind its length, in base64."""
    return base64.b64encode(b"".join(struct.pack("<I", len(one)) + one for one in values)).decode()


def batched(name: str, arrays: Sequence[Any]) -> dict[str, Any]:
    """Rows of a batch in Triton's JSON form; shorter ones are filled up, as the last step does it."""
    datatype, _ = OUTPUTS[name]
    longest = max(len(array) for array in arrays)
    empty: Any = "" if datatype == "BYTES" else 0
    whole = np.full((len(arrays), longest, *arrays[0].shape[1:]), empty, arrays[0].dtype)
    for row, array in enumerate(arrays):
        whole[row, : len(array)] = array
    tensor = {"name": name, "datatype": datatype, "shape": list(whole.shape)}
    if datatype == "INT32":
        # Maps of an image: as numbers they would be many megabytes.
        return {**tensor, "b64": base64.b64encode(whole.tobytes()).decode()}
    return {**tensor, "data": whole.reshape(-1).tolist()}


def sample(
    name: str,
    tensor: str,
    items: Sequence[Item],
    answers: Sequence[MediaAnswer],
    truth: Optional[Truth] = None,
) -> dict[str, Any]:
    """A request of these items, and what it has to be answered with. `truth`: of its only item, also of a tie."""
    encoded = raw_bytes([item.encoded for item in items])
    inputs = [{"name": tensor, "datatype": "BYTES", "shape": [len(items), 1], "b64": encoded}]
    outputs = [batched(one, [answer.outputs[one] for answer in answers]) for one in answers[0].outputs]
    made = {"id": name, "inputs": inputs}
    if truth is None:
        return {**made, "outputs": outputs}
    if any(answer.tied for answer in answers):
        return {**made, "outputs": [], "notCompared": outputs, "truth": dict(truth)}
    return {**made, "outputs": outputs, "truth": dict(truth)}


def groups_of(answers: Sequence[MediaAnswer]) -> list[list[int]]:
    """Places of the samples that are no ties, by the shape that they come to: those of one can share a batch."""
    groups: dict[tuple[int, ...], list[int]] = {}
    for place, answer in enumerate(answers):
        if not answer.tied:
            groups.setdefault(answer.shape, []).append(place)
    return list(groups.values())


def _within(samples: Sequence[dict[str, Any]], most: int) -> list[dict[str, Any]]:
    """The first ones that have so many characters of base64 together."""
    kept, size = [], 0
    for one in samples:
        tensors = [*one["inputs"], *one["outputs"], *one.get("notCompared", [])]
        size += sum(len(tensor.get("b64", "")) for tensor in tensors)
        if size > most:
            break
        kept.append(one)
    return kept


def samples_of(
    tensor: str,
    items: Sequence[Item],
    answers: Sequence[MediaAnswer],
    most: int,
    truths: Sequence[Optional[Truth]] = (),
) -> list[dict[str, Any]]:
    """One by one, and in batches of one shape, without ties; in turns, as a reader may take the first ones.

    `truths`: of the items, each counted once, where it is by itself, a tie too. Throws input-invalid for more than a
    golden file has.
    """
    groups = groups_of(answers)
    known = [*truths, *[None] * (len(items) - len(truths))]
    singles = [
        sample(item.name, tensor, [item], [answer], truth)
        for item, answer, truth in zip(items, answers, known)
        if not answer.tied or truth is not None
    ]
    if len(_within(singles, MOST_GOLDEN)) < len(singles):
        raise ToolkitError(
            "input-invalid",
            f"The samples and their answers would make a golden file of more than {MOST_GOLDEN} bytes",
            where="--samples",
            remedy="Give fewer or smaller files.",
        )

    def batch(places: Sequence[int]) -> dict[str, Any]:
        name = f"samples {', '.join(map(str, places))}"
        return sample(name, tensor, [items[one] for one in places], [answers[one] for one in places])

    chosen: list[list[int]] = []
    for group in groups:
        for size in (most, min(FEW, most)):
            found = [[group[place] for place in places] for places in batches_of(len(group), size)]
            chosen.extend(places for places in found[: 3 if size == most else 1] if places not in chosen)
    batches = _within([*singles, *map(batch, chosen)], MOST_GOLDEN)[len(singles) :]
    return [*singles[:2], *batches, *singles[2:]]


def load_entries(
    tensor: str, items: Sequence[Item], answers: Sequence[MediaAnswer], fixed: bool
) -> dict[str, Any]:
    """Items of the most frequent shape, as load tools batch them; with what comes back, where that has one size."""
    decided = [(items[place], answers[place]) for place in max(groups_of(answers), key=len)]
    entries: list[dict[str, Any]] = []
    size = 0
    for item, _ in decided:
        encoded = raw_bytes([item.encoded])
        size += len(encoded)
        if entries and size > MOST_LOAD:
            break
        entries.append({tensor: {"b64": encoded, "shape": [1]}})
    data = {"data": entries}
    if not fixed:
        return data
    sent = decided[: len(entries)]
    expected = [{name: array.tolist() for name, array in answer.outputs.items()} for _, answer in sent]
    return {**data, "validation_data": expected}


def write_json(path: Path, value: Any) -> None:
    path.write_text(json.dumps(value, ensure_ascii=False, indent=1), encoding="utf-8")


def samples_from(own: Optional[Path], task: str, reference: MediaReference) -> OwnSamples:
    """Of the folder, or made. Throws as `read_folder`."""
    if own is None:
        made = sounds(reference.rate) if reference.is_sound else images()
        return OwnSamples([OwnItem(item, None) for item in made], 0)
    wanted = Wanted(task, reference.labels)
    if reference.is_sound:
        least = int(reference.first["processor.json"]["least_samples"])
        wanted = wanted._replace(rate=reference.rate, least_samples=least)
    return read_folder(own, wanted)


def write_media_pipeline(
    *,
    folder: str,
    auto_class: str,
    task: str,
    name: str,
    first: str,
    last: str,
    most_samples: int,
    output: Path,
    progress: Callable[[float, str], None],
    samples: Optional[Path] = None,
) -> dict[str, Any]:
    """Fills the steps below `output`/models, and writes golden.json and load.json. `first`, `last`: folders of these
    steps; `most_samples`: of a batch; `samples`: folder of a person's own. Raises ValueError where the folder has no
    usable processor. Throws as `read_folder`.
    """
    progress(0.0, "Loading the model")
    model: Any = load_folder(folder, auto_class)
    import transformers

    reference = MediaReference(folder, task, model)
    first_step, last_step = (output / "models" / step / "1" for step in (first, last))
    for place, files in ((first_step, reference.first), (last_step, reference.last)):
        for file, content in files.items():
            write_json(place / file, content)
    library = None if reference.is_sound else f"Pillow {copy_library(first_step / 'packages', 'pillow')}"
    progress(0.2, "Asking transformers for the samples")
    tensor = "AUDIO" if reference.is_sound else "IMAGE"
    given = samples_from(samples, task, reference)
    items, truths = [one.item for one in given.items], [one.truth for one in given.items]
    answers = [reference(opened(item)) for item in items]
    ties = sum(answer.tied for answer in answers)
    if ties == len(answers):
        raise ValueError("The model decides none of the samples: their best labels are ties")
    if task == "object-detection" and not any((answer.outputs["SCORE"] > 0).any() for answer in answers):
        whose = "that the workbench makes" if samples is None else f"of {samples}"
        raise ValueError(
            f"The model finds no object in the images {whose}, so that nothing would be compared"
        )
    requests = samples_of(tensor, items, answers, most_samples, truths)
    golden = {
        "kind": "triton-workbench-golden",
        "version": 1,
        "model": name,
        "recordedFrom": f"transformers {transformers.__version__}, fp32, one sample at a time",
        "outputs": {one: OUTPUTS[one][1] for one in answers[0].outputs if OUTPUTS[one][1] is not None},
        "samples": requests,
    }
    write_json(output / "golden.json", golden)
    write_json(output / "load.json", load_entries(tensor, items, answers, task not in VARYING))
    progress(1.0, "Written")
    return {
        "items": len(items),
        "samples": len(requests),
        "ties": ties,
        "shapes": len({answer.shape for answer in answers}),
        "library": library,
        "labeled": sum(truth is not None for truth in truths),
        "left_out": given.left_out,
    }
