"""3D U-Net as nnU-Net configures it for the brain tumour task (Isensee et al., arXiv:1809.10486; Nature Methods 2021).

Input INPUT__0 [batch, modalities, depth, height, width], output OUTPUT__0 [batch, depth, height, width]: the class of
every voxel (int64). Sides must be divisible by 2 for every level but the first.
"""

from typing import Dict, List, Sequence, Tuple

import torch
from torch import nn

#: Negative slope of the leaky ReLU, as published.
SLOPE = 0.01


class ConvBlock(nn.Module):
    """3x3x3 convolution, instance normalisation with learned scale, leaky ReLU; `stride` 2 halves the sides."""

    def __init__(self, in_channels: int, channels: int, stride: int) -> None:
        super().__init__()
        self.conv = nn.Conv3d(in_channels, channels, kernel_size=3, stride=stride, padding=1)
        self.norm = nn.InstanceNorm3d(channels, affine=True)
        self.activation = nn.LeakyReLU(SLOPE, inplace=True)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.activation(self.norm(self.conv(x)))


class UpBlock(nn.Module):
    """Transposed convolution to twice the sides, joined with the encoder's features of that level, two convolutions."""

    def __init__(self, in_channels: int, channels: int) -> None:
        super().__init__()
        self.up = nn.ConvTranspose3d(in_channels, channels, kernel_size=2, stride=2, bias=False)
        self.convs = nn.Sequential(ConvBlock(channels * 2, channels, 1), ConvBlock(channels, channels, 1))

    def forward(self, x: torch.Tensor, skip: torch.Tensor) -> torch.Tensor:
        return self.convs(torch.cat((self.up(x), skip), dim=1))


class UNet(nn.Module):
    """`features`: channels of each level, the full resolution first."""

    def __init__(self, modalities: int, classes: int, features: Sequence[int]) -> None:
        super().__init__()
        inner = [modalities, *features[:-1]]
        self.encoder = nn.ModuleList(
            nn.Sequential(ConvBlock(before, own, 1 if level == 0 else 2), ConvBlock(own, own, 1))
            for level, (before, own) in enumerate(zip(inner, features))
        )
        levels = len(features)
        self.decoder = nn.ModuleList(
            UpBlock(features[level + 1], features[level]) for level in reversed(range(levels - 1))
        )
        self.head = nn.Conv3d(features[0], classes, kernel_size=1, bias=False)
        # The paper adds losses at all resolutions but the two lowest; the full one has the head itself.
        self.deep_heads = nn.ModuleList(
            nn.Conv3d(features[level], classes, kernel_size=1, bias=False) for level in range(1, levels - 2)
        )

    def decode(self, x: torch.Tensor) -> List[torch.Tensor]:
        """Features of the decoder's levels, the full resolution last."""
        skips: List[torch.Tensor] = []
        for stage in self.encoder:
            x = stage(x)
            skips.append(x)
        found: List[torch.Tensor] = []
        for index, block in enumerate(self.decoder):
            x = block(x, skips[len(skips) - 2 - index])
            found.append(x)
        return found

    def logits(self, x: torch.Tensor) -> List[torch.Tensor]:
        """Scores [batch, classes, ...] for training: full resolution first, then half of it, and so on."""
        found = self.decode(x)[::-1]
        heads = [self.head, *self.deep_heads]
        return [head(value) for head, value in zip(heads, found)]

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(self.decode(x)[-1]).argmax(dim=1)


def initialise(model: nn.Module, seed: int) -> None:
    """He initialisation for the leaky ReLU from `seed`, biases 0."""
    generator = torch.Generator().manual_seed(seed)
    for module in model.modules():
        if isinstance(module, (nn.Conv3d, nn.ConvTranspose3d)):
            nn.init.kaiming_normal_(module.weight, a=SLOPE, generator=generator)
            if module.bias is not None:
                nn.init.zeros_(module.bias)


def get_model(
    features: Sequence[int] = (32, 64, 128, 256, 320, 320),
    modalities: int = 4,
    classes: int = 4,
    seed: int = 0,
) -> Tuple[nn.Module, Dict[str, List[str]]]:
    """The model with seeded weights, and the names of its inputs and outputs."""
    if len(features) < 2 or min(features) < 1:
        raise ValueError(f"features must be at least two numbers of at least 1, not {list(features)}")
    model = UNet(modalities, classes, features)
    initialise(model, seed)
    return model, {"inputs": ["INPUT__0"], "outputs": ["OUTPUT__0"]}
