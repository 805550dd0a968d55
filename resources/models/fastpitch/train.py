"""Training on the sentences of the training list, as the paper does it: the true durations and pitch are given."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Callable, NamedTuple, Optional

import numpy as np
import numpy.typing as npt
import torch
from torch import nn

from .dataloader import SentenceLoader, pad_mels, pad_tokens
from .filelist import list_utterances, read_mel, read_tensor
from .metrics import MetricsCalculator
from .model import PITCH_MEAN, PITCH_STD
from .text import to_tokens

Progress = Callable[[float, str], None]
Array = npt.NDArray[Any]


class Example(NamedTuple):
    """`durations`, `pitch` (normalised, 0 where there is no tone) and `energy` have one value a token."""

    tokens: list[int]
    mel: Array
    durations: Array
    pitch: Array
    energy: Array


def energy_of(mel: Array, durations: Array) -> Array:
    """log(1 + mean length of the mel amplitude vectors) of each token's frames."""
    amplitudes = np.linalg.norm(np.exp(mel), axis=0)
    ends = np.cumsum(durations)
    sums = np.concatenate([[0.0], np.cumsum(amplitudes)])
    means = (sums[ends] - sums[ends - durations]) / np.maximum(durations, 1)
    energy: Array = np.log1p(means).astype(np.float32)
    return energy


def read_examples(root: Path, filelist: str) -> list[Example]:
    """Raises ValueError where durations or pitch are not given, or do not fit text and mel."""
    examples = []
    for utterance in list_utterances(root, filelist, held_out=1, training=True):
        if utterance.durations is None or utterance.pitch is None:
            raise ValueError(
                f"{filelist}: training needs a column durations/... and a column pitch/... (one value per token); "
                f"{utterance.id} lacks one"
            )
        tokens, mel = to_tokens(utterance.text), read_mel(utterance)
        durations = read_tensor(utterance.durations).astype(np.int64)
        pitch = read_tensor(utterance.pitch).reshape(-1)
        if not len(tokens) == len(durations) == len(pitch) or durations.sum() != mel.shape[1]:
            raise ValueError(
                f"{utterance.id}: {len(tokens)} tokens, {len(durations)} durations of {durations.sum()} frames, "
                f"{len(pitch)} pitches, and a mel of {mel.shape[1]} frames do not fit each other"
            )
        pitch = np.where(pitch > 0, (pitch - PITCH_MEAN) / PITCH_STD, 0).astype(np.float32)
        examples.append(Example(tokens, mel, durations, pitch, energy_of(mel, durations)))
    return examples


def _padded(values: list[Array], count: int) -> torch.Tensor:
    return torch.from_numpy(np.stack([np.pad(value, (0, count - len(value))) for value in values]))


def _mean_square(predicted: torch.Tensor, target: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    return (((predicted - target) ** 2) * mask).sum() / mask.expand_as(predicted).sum()


def loss_of(model: nn.Module, part: list[Example], predictor_scale: float) -> torch.Tensor:
    """The paper's loss: squared errors of mel, log durations and pitch; of energy as in release 1.1."""
    teach: Any = model.teach
    tokens = torch.from_numpy(pad_tokens([example.tokens for example in part]))
    durations, pitch, energy = (
        _padded(values, tokens.shape[1])
        for values in ([e.durations for e in part], [e.pitch for e in part], [e.energy for e in part])
    )
    mel = torch.from_numpy(pad_mels([example.mel for example in part]))
    found, log_durations, found_pitch, found_energy = teach(tokens, durations, pitch, energy)
    mask = (tokens != 0).float()
    frames = (torch.arange(mel.shape[2])[None, None, :] < durations.sum(dim=1)[:, None, None]).float()
    predictors = (
        _mean_square(log_durations, torch.log1p(durations.float()), mask)
        + _mean_square(found_pitch, pitch, mask)
        + _mean_square(found_energy, energy, mask)
    )
    return _mean_square(found, mel, frames) + predictor_scale * predictors


def evaluate(model: nn.Module, root: Path, filelist: str) -> dict[str, float]:
    """The metrics on the validation sentences, one by one: no padding has a part in them."""
    model.eval()
    names = ("OUTPUT__0", "OUTPUT__1")
    mels, lengths, real, real_lengths = [], [], [], []
    with torch.inference_mode():
        for _, x, y in SentenceLoader(root, 1, filelist, 1)():
            mel, length, *_ = model(torch.from_numpy(x["INPUT__0"]))
            mels.append(mel[0].numpy())
            lengths.append(int(length[0]))
            real.append(y["OUTPUT__0"][0])
            real_lengths.append(int(y["OUTPUT__1"][0]))
    predicted = dict(zip(names, (pad_mels(mels), np.array(lengths))))
    spoken = dict(zip(names, (pad_mels(real), np.array(real_lengths))))
    return MetricsCalculator().calc(ids=[], y_pred=predicted, x=None, y_real=spoken)


def train(
    model: nn.Module,
    data_dir: str,
    train_filelist: str = "filelists/train.txt",
    val_filelist: str = "filelists/val.txt",
    train_epochs: int = 0,
    train_batch_size: int = 16,
    learning_rate: float = 0.003,
    predictor_scale: float = 0.1,
    train_threads: int = 0,
    seed: int = 0,
    progress: Optional[Progress] = None,
) -> dict[str, Any]:
    """AdamW with a one-cycle schedule. With `train_epochs` 0 the weights stay as they are.

    `predictor_scale`: weight of the losses of durations, pitch and energy against that of the mel; 0.1 as published.
    `train_threads`: 0 = torch's choice; on a busy machine one thread beats several that wait for each other.
    """
    if train_epochs == 0:
        return {"trained": False, "steps": 0, "held_out": {}}
    report: Progress = progress or (lambda _fraction, _text: None)
    report(0.02, "Reading the training sentences")
    if train_threads > 0:
        torch.set_num_threads(train_threads)
    root = Path(data_dir)
    examples = read_examples(root, train_filelist)
    untrained = evaluate(model, root, val_filelist)
    generator = torch.Generator().manual_seed(seed)
    steps = -(-len(examples) // train_batch_size) * train_epochs
    optimizer = torch.optim.AdamW(model.parameters(), lr=learning_rate, weight_decay=0.001)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=learning_rate, total_steps=steps)
    # The output begins at the mean spectrum instead of having to climb down to it.
    projection: Any = model.projection
    with torch.no_grad():
        projection.bias.copy_(
            torch.from_numpy(np.concatenate([e.mel for e in examples], axis=1).mean(axis=1))
        )
    model.train()
    step = 0
    for epoch in range(train_epochs):
        order = torch.randperm(len(examples), generator=generator)
        for chosen in order.split(train_batch_size):
            loss = loss_of(model, [examples[int(index)] for index in chosen], predictor_scale)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            step += 1
            report(0.05 + 0.9 * step / steps, f"Epoch {epoch + 1} of {train_epochs}, loss {loss.item():.3f}")
    held_out = evaluate(model, root, val_filelist)
    before = {f"{name}_untrained": value for name, value in untrained.items()}
    return {"trained": True, "steps": step, "held_out": {**held_out, **before}}
