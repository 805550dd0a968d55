"""ResNet-50 v1.5: the residual network of He et al. 2015 with the stride in the 3x3 convolution of the bottleneck.

Input INPUT__0 [batch, 3, height, width], output OUTPUT__0 [batch, classes] (logits). Parameter names are those
that public ResNet-50 weights use (conv1, bn1, layer1.0.conv1, ..., layer1.0.downsample.0, fc).
"""

from typing import Dict, List, Optional, Sequence, Tuple

import torch
from torch import nn

#: Output channels of a bottleneck are this many times its inner ones.
EXPANSION = 4

#: Initial scale of the last normalisation of a residual branch: small enough that 16 blocks keep activations
#: within float16, and not 0, so that every weight has its part in the outputs.
RESIDUAL_SCALE = 0.25


class Bottleneck(nn.Module):
    """1x1 reduce, 3x3 (with the stride: the v1.5 difference), 1x1 expand, added to the shortcut."""

    def __init__(self, in_channels: int, channels: int, stride: int, expansion: int) -> None:
        super().__init__()
        out_channels = channels * expansion
        self.conv1 = nn.Conv2d(in_channels, channels, kernel_size=1, bias=False)
        self.bn1 = nn.BatchNorm2d(channels)
        self.conv2 = nn.Conv2d(channels, channels, kernel_size=3, stride=stride, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(channels)
        self.conv3 = nn.Conv2d(channels, out_channels, kernel_size=1, bias=False)
        self.bn3 = nn.BatchNorm2d(out_channels)
        self.relu = nn.ReLU(inplace=True)
        self.downsample: Optional[nn.Sequential] = None
        if stride != 1 or in_channels != out_channels:
            self.downsample = nn.Sequential(
                nn.Conv2d(in_channels, out_channels, kernel_size=1, stride=stride, bias=False),
                nn.BatchNorm2d(out_channels),
            )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        shortcut = x if self.downsample is None else self.downsample(x)
        y = self.relu(self.bn1(self.conv1(x)))
        y = self.relu(self.bn2(self.conv2(y)))
        return self.relu(self.bn3(self.conv3(y)) + shortcut)


class ResNet(nn.Module):
    """`blocks`: bottlenecks in each of the stages; `widths`: their inner channels; `stem`: channels before them."""

    def __init__(
        self, blocks: Sequence[int], classes: int, stem: int, widths: Sequence[int], expansion: int
    ) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(3, stem, kernel_size=7, stride=2, padding=3, bias=False)
        self.bn1 = nn.BatchNorm2d(stem)
        self.relu = nn.ReLU(inplace=True)
        self.maxpool = nn.MaxPool2d(kernel_size=3, stride=2, padding=1)
        outer = [width * expansion for width in widths]
        self.layer1 = self._stage(stem, widths[0], blocks[0], 1, expansion)
        self.layer2 = self._stage(outer[0], widths[1], blocks[1], 2, expansion)
        self.layer3 = self._stage(outer[1], widths[2], blocks[2], 2, expansion)
        self.layer4 = self._stage(outer[2], widths[3], blocks[3], 2, expansion)
        self.avgpool = nn.AdaptiveAvgPool2d((1, 1))
        self.fc = nn.Linear(outer[3], classes)

    @staticmethod
    def _stage(in_channels: int, channels: int, count: int, stride: int, expansion: int) -> nn.Sequential:
        first = Bottleneck(in_channels, channels, stride, expansion)
        rest = [Bottleneck(channels * expansion, channels, 1, expansion) for _ in range(count - 1)]
        return nn.Sequential(first, *rest)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.maxpool(self.relu(self.bn1(self.conv1(x))))
        x = self.layer4(self.layer3(self.layer2(self.layer1(x))))
        return self.fc(torch.flatten(self.avgpool(x), 1))


def initialise(model: nn.Module, classifier_std: float, seed: int) -> None:
    """He initialisation from `seed`; activations keep their scale through the network."""
    generator = torch.Generator().manual_seed(seed)
    for module in model.modules():
        if isinstance(module, nn.Conv2d):
            nn.init.kaiming_normal_(module.weight, mode="fan_out", nonlinearity="relu", generator=generator)
        elif isinstance(module, nn.Linear):
            nn.init.normal_(module.weight, std=classifier_std, generator=generator)
            nn.init.zeros_(module.bias)
        elif isinstance(module, Bottleneck):
            nn.init.constant_(module.bn3.weight, RESIDUAL_SCALE)


def get_model(
    blocks: Sequence[int] = (3, 4, 6, 3),
    classes: int = 1000,
    width: int = 64,
    stem: int = 0,
    widths: Sequence[int] = (0,),
    expansion: int = EXPANSION,
    classifier_std: float = 0.5,
    seed: int = 0,
) -> Tuple[nn.Module, Dict[str, List[str]]]:
    """The model with seeded weights, and the names of its inputs and outputs.

    `width`: inner channels of the first stage, which each later one doubles, and channels of the stem. `stem` and
    `widths` (of the four stages) set them one by one.
    With the default `classifier_std`, logits of random weights vary about as much as those of trained ones, so that
    one tolerance fits both; training wants a smaller one.
    """
    if len(blocks) != 4 or min(blocks) < 1:
        raise ValueError(f"blocks must be four numbers of at least 1, not {list(blocks)}")
    inner = list(widths) if len(widths) == 4 and min(widths) > 0 else [width * 2**stage for stage in range(4)]
    model = ResNet(blocks, classes, stem or width, inner, expansion)
    initialise(model, classifier_std, seed)
    return model, {"inputs": ["INPUT__0"], "outputs": ["OUTPUT__0"]}
