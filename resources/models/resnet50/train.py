"""Training on the images of the split `train`, held-out accuracy on `val`."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Callable, Optional

import numpy as np
import torch
from torch import nn

from .images import list_samples, normalise, read_image
from .metrics import MetricsCalculator

Progress = Callable[[float, str], None]


def _load(root: Path, split: str, classes: int, size: int) -> tuple[torch.Tensor, torch.Tensor]:
    samples = list_samples(root, split, classes)
    images = np.stack([read_image(sample.path, size) for sample in samples])
    return torch.from_numpy(normalise(images)), torch.tensor([sample.label for sample in samples])


def _shifted(images: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """Each batch moved by up to four pixels; the edge is repeated."""
    x, y = (int(v) for v in torch.randint(0, 9, (2,), generator=generator))
    size = images.shape[-1]
    padded = nn.functional.pad(images, (4, 4, 4, 4), mode="replicate")
    return padded[:, :, y : y + size, x : x + size].contiguous(memory_format=torch.channels_last)


def evaluate(model: nn.Module, images: torch.Tensor, labels: torch.Tensor) -> dict[str, float]:
    """Top-1 and top-5."""
    model.eval()
    with torch.inference_mode():
        scores = torch.cat([model(part) for part in images.split(128)])
    return MetricsCalculator().calc(
        ids=[], y_pred={"OUTPUT__0": scores.numpy()}, x=None, y_real={"OUTPUT__0": labels.numpy()}
    )


def train(
    model: nn.Module,
    data_dir: str,
    classes: int = 1000,
    image_size: int = 224,
    train_epochs: int = 0,
    train_batch_size: int = 64,
    learning_rate: float = 0.004,
    train_threads: int = 0,
    seed: int = 0,
    progress: Optional[Progress] = None,
) -> dict[str, Any]:
    """AdamW with a one-cycle schedule. With `train_epochs` 0 the weights stay as they are.

    `train_threads`: 0 = torch's choice; on a busy machine one thread beats several that wait for each other.
    """
    if train_epochs == 0:
        return {"trained": False, "steps": 0, "held_out": {}}
    report: Progress = progress or (lambda _fraction, _text: None)
    report(0.02, "Reading the training images")
    if train_threads > 0:
        torch.set_num_threads(train_threads)
    images, labels = _load(Path(data_dir), "train", classes, image_size)
    generator = torch.Generator().manual_seed(seed)
    steps_per_epoch = -(-len(images) // train_batch_size)
    steps = steps_per_epoch * train_epochs
    optimizer = torch.optim.AdamW(model.parameters(), lr=learning_rate, weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=learning_rate, total_steps=steps)
    criterion = nn.CrossEntropyLoss(label_smoothing=0.05)
    # Narrow convolutions are several times faster with channels last.
    model.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
    model.train()
    step = 0
    for epoch in range(train_epochs):
        order = torch.randperm(len(images), generator=generator)
        for chosen in order.split(train_batch_size):
            loss = criterion(model(_shifted(images[chosen], generator)), labels[chosen])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
            step += 1
            report(0.05 + 0.9 * step / steps, f"Epoch {epoch + 1} of {train_epochs}, loss {loss.item():.3f}")
    model.to(memory_format=torch.contiguous_format)  # type: ignore[call-overload]
    held_out = evaluate(model, *_load(Path(data_dir), "val", classes, image_size))
    return {"trained": True, "steps": step, "held_out": held_out}
