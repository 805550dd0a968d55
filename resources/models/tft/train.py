"""Training on windows of the split `train` with the sum of the quantile losses; held-out q-risk on `test`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Callable, Optional

import numpy as np
import torch
from torch import nn

from .layout import QUANTILES, layout_of
from .metrics import MetricsCalculator
from .model import INPUTS
from .series import Tensors, Window, cut_windows, read_series, tensors_of

Progress = Callable[[float, str], None]

#: Norm to which gradients are cut.
_CLIP = 1.0


def quantile_loss(target: torch.Tensor, predicted: torch.Tensor) -> torch.Tensor:
    """Mean over samples and hours of the sum over the quantiles. `target` [n, hours], `predicted` [n, hours, 3]."""
    quantiles = torch.tensor(QUANTILES)
    error = target.unsqueeze(-1) - predicted
    return torch.maximum(quantiles * error, (quantiles - 1) * error).sum(dim=-1).mean()


def _arguments(x: Tensors) -> list[torch.Tensor]:
    return [torch.from_numpy(x[name]) for name in INPUTS]


def evaluate(model: nn.Module, windows: Sequence[Window], data_dir: str) -> dict[str, float]:
    """q-risk of each quantile."""
    model.eval()
    outputs, targets, numbers = [], [], []
    for start in range(0, len(windows), 256):
        x, y = tensors_of(windows[start : start + 256], np.float32)
        with torch.inference_mode():
            outputs.append(model(*_arguments(x)).numpy())
        targets.append(y["target__0"])
        numbers.append(y["id__7"])
    return MetricsCalculator(data_dir).calc(
        ids=[],
        y_pred={"target__0": np.concatenate(outputs)},
        x=None,
        y_real={"target__0": np.concatenate(targets), "id__7": np.concatenate(numbers)},
    )


def train(
    model: nn.Module,
    data_dir: str,
    data_set: str = "electricity",
    window_stride: int = 1,
    train_steps: int = 0,
    train_batch_size: int = 64,
    learning_rate: float = 0.01,
    train_threads: int = 0,
    seed: int = 0,
    progress: Optional[Progress] = None,
) -> dict[str, Any]:
    """Adam with a one-cycle schedule. With `train_steps` 0 the weights stay as they are.

    `train_threads`: 0 = torch's choice; on a busy machine one thread beats several that wait for each other.
    """
    if train_steps == 0:
        return {"trained": False, "steps": 0, "held_out": {}}
    report: Progress = progress or (lambda _fraction, _text: None)
    report(0.02, "Reading the series")
    if train_threads > 0:
        torch.set_num_threads(train_threads)
    layout = layout_of(data_set)
    windows = cut_windows(read_series(Path(data_dir), "train", layout), 1)
    held_out = cut_windows(read_series(Path(data_dir), "test", layout), window_stride)
    if not windows or not held_out:
        raise ValueError(f"{data_dir}: train.csv and test.csv need a series as long as a sample")
    untrained = evaluate(model, held_out, data_dir)
    generator = torch.Generator().manual_seed(seed)
    optimizer = torch.optim.Adam(model.parameters(), lr=learning_rate)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=learning_rate, total_steps=train_steps)
    model.train()
    for step in range(train_steps):
        chosen = torch.randint(0, len(windows), (train_batch_size,), generator=generator).tolist()
        x, y = tensors_of([windows[index] for index in chosen], np.float32)
        loss = quantile_loss(torch.from_numpy(y["target__0"]), model(*_arguments(x)))
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), _CLIP)
        optimizer.step()
        schedule.step()
        report(
            0.05 + 0.9 * (step + 1) / train_steps, f"Step {step + 1} of {train_steps}, loss {loss.item():.3f}"
        )
    trained = evaluate(model, held_out, data_dir)
    before = {f"{name}_untrained": value for name, value in untrained.items()}
    return {"trained": True, "steps": train_steps, "held_out": {**trained, **before}}
