"""3D U-Net as nnU-Net configures it for the brain tumour task (Isensee et al., arXiv:1809.10486; Nature Methods 2021).

Input INPUT__0 [batch, modalities, depth, height, width], output OUTPUT__0 [batch, depth, height, width]: the class of
every voxel (int64). Sides must be divisible by 2 for every level but the first.
"""

from typing import Dict, List, Sequence, Tuple

import torch
from torch import nn

#: Negative slope of the leaky ReLU, as published.
SLOPE = 0.01

#: One number each for depth, height and width.
Sides = Tuple[int, int, int]


class ConvBlock(nn.Module):
    """Convolution, instance normalisation with learned scale, leaky ReLU; `stride` 2 halves the sides.

    The convolution has no bias: the normalisation would take it out again.
    """

    def __init__(self, in_channels: int, channels: int, stride: Sides, kernel: Sides) -> None:
        super().__init__()
        padding = (kernel[0] // 2, kernel[1] // 2, kernel[2] // 2)
        self.conv = nn.Conv3d(
            in_channels, channels, kernel_size=kernel, stride=stride, padding=padding, bias=False
        )
        self.norm = nn.InstanceNorm3d(channels, affine=True)
        self.activation = nn.LeakyReLU(SLOPE, inplace=True)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.activation(self.norm(self.conv(x)))


class UpBlock(nn.Module):
    """Transposed convolution to the level above, joined with the encoder's features there; two convolutions."""

    def __init__(self, in_channels: int, channels: int, stride: Sides, kernel: Sides) -> None:
        super().__init__()
        self.up = nn.ConvTranspose3d(in_channels, channels, kernel_size=stride, stride=stride)
        self.convs = nn.Sequential(
            ConvBlock(channels * 2, channels, (1, 1, 1), kernel),
            ConvBlock(channels, channels, (1, 1, 1), kernel),
        )

    def forward(self, x: torch.Tensor, skip: torch.Tensor) -> torch.Tensor:
        return self.convs(torch.cat((self.up(x), skip), dim=1))


class UNet(nn.Module):
    """`features`: channels of each level, the full resolution first; `strides` and `kernels` of each level likewise."""

    def __init__(
        self,
        modalities: int,
        classes: int,
        features: Sequence[int],
        strides: Sequence[Sides],
        kernels: Sequence[Sides],
    ) -> None:
        super().__init__()
        inner = [modalities, *features[:-1]]
        self.encoder = nn.ModuleList(
            nn.Sequential(ConvBlock(before, own, stride, kernel), ConvBlock(own, own, (1, 1, 1), kernel))
            for before, own, stride, kernel in zip(inner, features, strides, kernels)
        )
        levels = len(features)
        # The level below brings its own stride and kernel.
        self.decoder = nn.ModuleList(
            UpBlock(features[level + 1], features[level], strides[level + 1], kernels[level + 1])
            for level in reversed(range(levels - 1))
        )
        self.head = nn.Conv3d(features[0], classes, kernel_size=1)
        # The paper adds losses at all resolutions but the two lowest; the full one has the head itself.
        self.deep_heads = nn.ModuleList(
            nn.Conv3d(features[level], classes, kernel_size=1) for level in range(1, levels - 2)
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


def sides_of(name: str, texts: Sequence[str], levels: int) -> List[Sides]:
    """Of each level. Raises ValueError for what is neither "2" nor "1x2x2", or for another number of levels."""
    found: List[Sides] = []
    for text in texts:
        parts = [int(part) if part.isdigit() else 0 for part in str(text).split("x")]
        sides = parts * 3 if len(parts) == 1 else parts
        if len(sides) != 3 or min(sides) < 1:
            raise ValueError(f'{name} must have entries as "2" or "1x2x2", not "{text}"')
        found.append((sides[0], sides[1], sides[2]))
    if len(found) != levels:
        raise ValueError(f"{name} must have an entry for each of the {levels} levels, not {len(found)}")
    return found


def get_model(
    features: Sequence[int] = (32, 64, 128, 256, 320, 320),
    modalities: int = 4,
    classes: int = 4,
    strides: Sequence[str] = (),
    kernels: Sequence[str] = (),
    seed: int = 0,
) -> Tuple[nn.Module, Dict[str, List[str]]]:
    """The model with seeded weights, and the names of its inputs and outputs.

    `strides` and `kernels` have an entry for each level, as "2" or as "1x2x2"; without them strides are 1, then 2, and
    kernels 3.
    """
    if len(features) < 2 or min(features) < 1:
        raise ValueError(f"features must be at least two numbers of at least 1, not {list(features)}")
    levels = len(features)
    model = UNet(
        modalities,
        classes,
        features,
        sides_of("strides", strides or ["1", *["2"] * (levels - 1)], levels),
        sides_of("kernels", kernels or ["3"] * levels, levels),
    )
    initialise(model, seed)
    return model, {"inputs": ["INPUT__0"], "outputs": ["OUTPUT__0"]}
