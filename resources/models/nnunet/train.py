"""Training on the cases outside the held-out fold, Dice on it; loss and deep supervision as published."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Callable, Optional

import numpy as np
import torch
from torch import nn

from .cases import Case, centre_patch, list_cases, read_case, split_cases
from .metrics import MetricsCalculator

Progress = Callable[[float, str], None]

#: Keeps the Dice of a class that is nowhere in the batch defined.
_SMOOTH = 1e-5


def _load(cases: list[Case], modalities: int, classes: int, size: int) -> tuple[torch.Tensor, torch.Tensor]:
    read = [read_case(case, modalities, classes) for case in cases]
    images = np.stack([centre_patch(image, size) for image, _ in read])
    return torch.from_numpy(images), torch.from_numpy(np.stack([centre_patch(y, size) for _, y in read]))


def dice_and_cross_entropy(scores: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    """Cross-entropy minus the soft Dice of the foreground classes over the batch; lowest is -1."""
    wanted = nn.functional.one_hot(labels, scores.shape[1]).movedim(-1, 1).to(scores.dtype)
    found = scores.softmax(dim=1)
    axes = (0, 2, 3, 4)
    both = (found * wanted).sum(axes)[1:]
    sizes = (found.sum(axes) + wanted.sum(axes))[1:]
    dice = (2 * both + _SMOOTH) / (sizes + _SMOOTH)
    return nn.functional.cross_entropy(scores, labels) - dice.mean()


def supervised_loss(scores: list[torch.Tensor], labels: torch.Tensor) -> torch.Tensor:
    """Each lower resolution weighs half of the one above; weights sum to 1."""
    weights = [0.5**level for level in range(len(scores))]
    loss = torch.zeros(())
    for level, (weight, part) in enumerate(zip(weights, scores)):
        step = 2**level
        reduced = labels[:, ::step, ::step, ::step]
        loss = loss + weight / sum(weights) * dice_and_cross_entropy(part, reduced)
    return loss


def evaluate(model: nn.Module, images: torch.Tensor, labels: torch.Tensor, classes: int) -> dict[str, float]:
    """`dice` and that of each class."""
    model.eval()
    with torch.inference_mode():
        predicted = torch.cat([model(part) for part in images.split(2)])
    return MetricsCalculator(classes).calc(
        ids=[], y_pred={"OUTPUT__0": predicted.numpy()}, x=None, y_real={"OUTPUT__0": labels.numpy()}
    )


def _mirrored(
    x: torch.Tensor, y: torch.Tensor, generator: torch.Generator
) -> tuple[torch.Tensor, torch.Tensor]:
    axes = [axis for axis in (1, 2, 3) if bool(torch.rand((), generator=generator) < 0.5)]
    return (x.flip([axis + 1 for axis in axes]), y.flip(axes)) if axes else (x, y)


def train(
    model: nn.Module,
    data_dir: str,
    patch_size: int = 128,
    fold: int = 2,
    modalities: int = 4,
    classes: int = 4,
    train_epochs: int = 0,
    train_batch_size: int = 2,
    learning_rate: float = 0.01,
    train_threads: int = 0,
    seed: int = 0,
    progress: Optional[Progress] = None,
) -> dict[str, Any]:
    """Nesterov's momentum with a falling rate, batches of 2, as published. With `train_epochs` 0 nothing changes.

    `held_out` holds Dice before (`dice_untrained`) and after. `train_threads`: 0 = torch's choice; on a busy machine
    one thread beats several that wait for each other.
    """
    if train_epochs == 0:
        return {"trained": False, "steps": 0, "held_out": {}}
    report: Progress = progress or (lambda _fraction, _text: None)
    report(0.02, "Reading the training volumes")
    if train_threads > 0:
        torch.set_num_threads(train_threads)
    inside, outside = split_cases(list_cases(Path(data_dir)), fold)
    images, labels = _load(inside, modalities, classes, patch_size)
    held_out = _load(outside, modalities, classes, patch_size)
    untrained = evaluate(model, *held_out, classes)["dice"]
    generator = torch.Generator().manual_seed(seed)
    steps = -(-len(images) // train_batch_size) * train_epochs
    # 0.99 as published needs a thousand epochs to pay; a short training wants a shorter memory.
    momentum = 0.99 if train_epochs >= 100 else 0.9
    optimizer = torch.optim.SGD(
        model.parameters(), lr=learning_rate, momentum=momentum, nesterov=True, weight_decay=3e-5
    )
    schedule = torch.optim.lr_scheduler.PolynomialLR(optimizer, total_iters=steps, power=0.9)
    score: Any = model.logits
    model.train()
    step = 0
    for epoch in range(train_epochs):
        order = torch.randperm(len(images), generator=generator)
        for chosen in order.split(train_batch_size):
            x, y = _mirrored(images[chosen], labels[chosen], generator)
            loss = supervised_loss(score(x), y)
            optimizer.zero_grad()
            loss.backward()
            # As published: instance normalisation makes the first steps steep.
            nn.utils.clip_grad_norm_(model.parameters(), 12)
            optimizer.step()
            schedule.step()
            step += 1
            report(0.05 + 0.9 * step / steps, f"Epoch {epoch + 1} of {train_epochs}, loss {loss.item():.3f}")
    return {
        "trained": True,
        "steps": step,
        "held_out": {"dice_untrained": untrained, **evaluate(model, *held_out, classes)},
    }
