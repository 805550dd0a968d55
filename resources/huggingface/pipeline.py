"""What a pipeline of a Hugging Face folder has beside the exported model, and samples of what it has to answer.

The samples are of the framework itself in fp32, each text without padding; the pipeline gets them one by one and in
batches of mixed lengths.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Callable, Optional

from .labeled_texts import Given, Labeled, classes, entities, plain_texts
from .model import Sentence, load_folder, sentence_of
from .tables import Table, is_table, read_table
from .text_samples import TOLERANCE, Answer, in_turns, load_entries, named, rule_of, samples_of
from .texts_file import read_texts
from .tokenizer_step import copy_library, serving_tokenizer

#: A best label that leads by less may be another one within the tolerance: the text is a tie.
LEAST_LEAD = 4 * TOLERANCE
#: Longer texts are not made for the sample that has to be cut.
MOST_CUT_TOKENS = 2048


def score_function(config: Any) -> str:
    """What the text classification of transformers makes of logits."""
    if config.problem_type == "regression":
        return "none"
    return (
        "sigmoid"
        if config.problem_type == "multi_label_classification" or config.num_labels == 1
        else "softmax"
    )


def lead(scores: Any) -> float:
    """Of the best score before the next one."""
    first, second = (
        sorted((float(score) for score in scores), reverse=True)[:2] if len(scores) > 1 else (1.0, 0.0)
    )
    return first - second


class Reference:
    """Asks the framework for one text at a time, cut as the pipeline cuts it."""

    #: Which text of a pair is cut.
    cut = "longest_first"

    def __init__(
        self, task: str, model: Any, tokenizer: Any, most: int, sentence: Optional[Sentence]
    ) -> None:
        import transformers

        tokenizer.model_max_length = most
        self._task = task
        self._tokenizer = tokenizer
        self._model = model
        self._most = most
        self._sentence = sentence
        self._answers: Callable[[Any], Answer] = {
            "text-classification": self._labels,
            "token-classification": self._spans,
            "sentence-similarity": self._vector,
        }[task]
        name = "feature-extraction" if task == "sentence-similarity" else task
        self._pipeline = transformers.pipeline(name, model=model, tokenizer=tokenizer, device="cpu")

    def read(self, path: Path) -> list[Given]:
        """What to ask. Raises ValueError for a file that has something else."""
        return list(read_texts(path))

    def read_table(self, table: Table) -> list[Labeled]:
        """What to ask, with what is true. Throws input-invalid, which names the line."""
        if self._task == "text-classification":
            return classes(table, self.labels(), takes_pairs=False)
        return entities(table, self.labels()) if self._task == "token-classification" else plain_texts(table)

    def labels(self) -> list[str]:
        """Of the model, by their numbers."""
        config = self._model.config
        return [str(config.id2label[place]) for place in range(config.num_labels)]

    def lengthened(self, texts: Sequence[Given], filler: str) -> Given:
        """A text that is too long, of many words."""
        del texts
        return filler

    def neighbors(self, texts: Sequence[Given]) -> list[Given]:
        """Further requests of the accuracy gate, of the same texts."""
        del texts
        return []

    def write_last(self, output: Path, name: str) -> None:
        """What the last step reads beside its code."""
        last = output / "models" / f"{name}-labels" / "1"
        if last.is_dir():
            scores = score_function(self._model.config)
            write_json(last / "labels.json", {"labels": self.labels(), "scores": scores})

    def tokens(self, given: Given) -> int:
        return len(self._tokenizer(*named(given).values())["input_ids"])

    def __call__(self, given: Any) -> Answer:
        answer = self._answers(given)
        return answer._replace(outputs={**answer.outputs, "TRUNCATED": [self.tokens(given) > self._most]})

    def _labels(self, given: Given) -> Answer:
        asked = given if isinstance(given, str) else {name.lower(): text for name, text in given.items()}
        found = self._pipeline(asked, top_k=None, truncation=True, max_length=self._most)
        # A list of lists in some versions.
        found = found[0] if isinstance(found[0], list) else found
        ranked = sorted(found, key=lambda one: -one["score"])
        scores = [one["score"] for one in ranked]
        return Answer({"LABEL": [ranked[0]["label"]], "SCORE": scores[:1]}, lead(scores) < LEAST_LEAD)

    def _spans(self, text: str) -> Answer:
        found = self._pipeline(text, aggregation_strategy="simple")
        outputs: dict[str, list[Any]] = {
            "LABEL": [one["entity_group"] for one in found] or [""],
            "SCORE": [float(one["score"]) for one in found] or [0.0],
            "START": [int(one["start"]) for one in found] or [0],
            "END": [int(one["end"]) for one in found] or [0],
        }
        return Answer(outputs, self._least_lead(text) < LEAST_LEAD)

    def _least_lead(self, text: str) -> float:
        """Over the tokens of the text: one other label is another span."""
        import torch

        given = self._tokenizer(
            text, return_tensors="pt", truncation=True, max_length=self._most, return_special_tokens_mask=True
        )
        special = given.pop("special_tokens_mask")[0]
        with torch.inference_mode():
            scores = self._model(**given)["logits"][0].softmax(dim=-1)
        return min(
            (lead(row.tolist()) for row, left_out in zip(scores, special) if not left_out), default=1.0
        )

    def _vector(self, text: str) -> Answer:
        import torch

        how = {"truncation": True, "max_length": self._most}
        hidden = torch.as_tensor(self._pipeline(text, return_tensors=True, tokenize_kwargs=how))
        assert self._sentence is not None
        with torch.inference_mode():
            vector = self._sentence(hidden, torch.ones(hidden.shape[:2]))
        return Answer({"EMBEDDING": [float(value) for value in vector[0]]}, False)


def _cut_text(texts: Sequence[Given], reference: Reference, most: int) -> list[Given]:
    """A text that is too long; none where making it would take long."""
    if most > MOST_CUT_TOKENS:
        return []
    filler = " ".join([text for given in texts for text in named(given).values()])
    while reference.tokens(filler) <= most:
        filler = f"{filler} {filler}"
    return [reference.lengthened(texts, filler)]


def write_json(path: Path, content: Any, indent: Optional[int] = 1) -> None:
    path.write_text(json.dumps(content, ensure_ascii=False, indent=indent), encoding="utf-8")


def reference_class(task: str, pairs: bool) -> type[Reference]:
    """Of tasks whose reference is more than a text for a pipeline of transformers: in files of their own."""
    if task == "question-answering":
        from .questions_reference import QuestionsReference

        return QuestionsReference
    if task == "fill-mask":
        from .mask_reference import MaskReference

        return MaskReference
    if pairs:
        from .pairs_reference import PairsReference

        return PairsReference
    return Reference


def load_tokenizer(folder: str) -> Any:
    """Raises ValueError where transformers cannot load it."""
    import transformers

    try:
        return transformers.AutoTokenizer.from_pretrained(
            folder, local_files_only=True, trust_remote_code=False
        )
    except (KeyError, OSError, ValueError, ImportError) as error:
        text = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise ValueError(f"transformers cannot load the tokenizer: {text}") from error


def write_pipeline(
    *,
    folder: str,
    auto_class: str,
    task: str,
    texts_file: Path,
    name: str,
    most_tokens: int,
    most_texts: int,
    pooling: str,
    dense: str,
    normalize: bool,
    pairs: bool,
    output: Path,
    progress: Callable[[float, str], None],
) -> dict[str, Any]:
    """Fills the steps below `output`/models, and writes golden.json and load.json. `most_tokens`: that the
    model takes; `most_texts`: of a batch. Raises ValueError where the folder has no usable tokenizer.
    """
    progress(0.0, "Loading the model")
    model: Any = load_folder(folder, auto_class)
    import transformers

    tokenizer = load_tokenizer(folder)
    if not tokenizer.is_fast:
        raise ValueError("The tokenizer has no form of the tokenizers library, which the pipeline runs")
    sentence = sentence_of(folder, pooling, dense, normalize)
    reference = reference_class(task, pairs)(task, model, tokenizer, most_tokens, sentence)
    table = read_table(texts_file) if is_table(texts_file) else None
    labeled = (
        [Labeled(text, None) for text in reference.read(texts_file)]
        if table is None
        else reference.read_table(table)
    )
    texts, truths = [one.given for one in labeled], [one.truth for one in labeled]
    first = output / "models" / f"{name}-tokenizer" / "1"
    serving_tokenizer(tokenizer, most_tokens, reference.cut).save(str(first / "tokenizer.json"))
    library = copy_library(first / "packages")
    reference.write_last(output, name)
    progress(0.2, "Asking transformers for the samples")
    whole = [*texts, *_cut_text(texts, reference, most_tokens)]
    answers = [reference(text) for text in whole]
    ties = sum(answer.tied for answer in answers)
    if ties == len(answers):
        raise ValueError("The labels of all texts are ties: give texts that the model decides")
    # Of texts that a pipeline takes with and without a second one; their answers are not part of the load.
    more = reference.neighbors(texts)
    more_answers = [reference(pair) for pair in more]
    rules = {one: rule_of(task, one) for one in answers[0].outputs}
    samples = in_turns(
        samples_of(whole, answers, most_texts, truths=truths),
        samples_of(more, more_answers, most_texts, "pair"),
    )
    golden = {
        "kind": "triton-workbench-golden",
        "version": 1,
        "model": name,
        "recordedFrom": f"transformers {transformers.__version__}, fp32, each text without padding",
        "outputs": {one: rule for one, rule in rules.items() if rule is not None},
        "samples": samples,
    }
    write_json(output / "golden.json", golden)
    # Not the text that was made to be cut.
    write_json(output / "load.json", load_entries(texts, answers, task != "token-classification"), None)
    progress(1.0, "Written")
    return {
        "texts": len(whole) + len(more),
        "samples": len(samples),
        "ties": ties + sum(answer.tied for answer in more_answers),
        "cut": sum(answer.outputs["TRUNCATED"][0] for answer in [*answers, *more_answers]),
        "tokenizers": library,
        "labeled": sum(truth is not None for truth in truths),
        "left_out": 0 if table is None else table.left_out,
    }
