"""A small convolutional network. Input: grayscale images of 28 x 28. Output: one score per shape."""

from __future__ import annotations

import torch
from torch import nn


class ShapeNet(nn.Module):
    """[batch, 1, 28, 28] in, [batch, classes] out."""

    def __init__(self, channels: int, classes: int) -> None:
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, channels, 3, stride=2, padding=1),
            nn.ReLU(),
            nn.Conv2d(channels, 2 * channels, 3, stride=2, padding=1),
            nn.ReLU(),
        )
        self.head = nn.Linear(2 * channels * 7 * 7, classes)

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        return self.head(torch.flatten(self.features(images), 1))


def get_model(channels: int = 8, classes: int = 3) -> tuple[nn.Module, dict[str, list[str]]]:
    """The module, and the names of its inputs and outputs in the order of forward()."""
    return ShapeNet(channels, classes), {"inputs": ["images"], "outputs": ["scores"]}
