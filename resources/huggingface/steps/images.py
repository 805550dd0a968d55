"""First step of the pipeline: encoded images to the tensor of the model.

processor.json has the numbers of preprocessor_config.json: the size that an image is brought to, what of its middle is
kept, and how colors become numbers. The images of a request have to come to one size.
"""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import triton_python_backend_utils as pb_utils

HERE = Path(__file__).resolve().parent

# Pillow lies beside this file, so that the step needs nothing of the server's environment but numpy.
sys.path.insert(0, str(HERE / "packages"))
try:
    from PIL import Image, ImageOps, UnidentifiedImageError
except ImportError as error:
    raise ImportError(
        f"Pillow in {HERE / 'packages'} is not of Python {sys.version_info[0]}.{sys.version_info[1]}, which the server "
        "has: replace it with pip install --upgrade --target packages pillow"
    ) from error

Array = npt.NDArray[Any]

#: Larger ones would take the memory of the server: a line of pixels has no sensible size.
MOST_PIXELS = 64_000_000


def size_of(height: int, width: int, size: Mapping[str, int]) -> tuple[int, int]:
    """Height and width that an image is resized to: both given, or its shorter side, and the longer one at most."""
    if "height" in size:
        return size["height"], size["width"]
    short, long = min(height, width), max(height, width)
    edge, exact = size["shortest_edge"], float(size["shortest_edge"])
    if "longest_edge" in size and long / short * edge > size["longest_edge"]:
        exact = size["longest_edge"] * short / long
        edge = round(exact)
    multiple = size.get("multiple_of", 1)
    # An image that has the size stays as it is; with a multiple only one that is not upright.
    stays = short == edge and (multiple == 1 or height <= width)
    other = long if stays else int(exact * long / short)
    edge, other = edge - edge % multiple, other - other % multiple
    return (edge, other) if height <= width else (other, edge)


def cropped(pixels: Array, height: int, width: int) -> Array:
    """The middle of [height, width, 3]; black where the image is smaller."""
    missing = [max(0, wanted - has) for wanted, has in zip((height, width), pixels.shape)]
    whole = np.pad(pixels, [*(((count + 1) // 2, count // 2) for count in missing), (0, 0)])
    top, left = (whole.shape[0] - height) // 2, (whole.shape[1] - width) // 2
    return whole[top : top + height, left : left + width]


def read_image(encoded: bytes) -> Image.Image:
    """Upright, as the camera says in the file, and in RGB. Raises ValueError."""
    try:
        image = Image.open(io.BytesIO(encoded), formats=("PNG", "JPEG"))
        return ImageOps.exif_transpose(image).convert("RGB")
    except (OSError, SyntaxError, ValueError, EOFError, Image.DecompressionBombError) as error:
        text = "" if isinstance(error, UnidentifiedImageError) else f": {error}"
        raise ValueError(f"is not an image in PNG or JPEG that can be read{text}") from error


def pixels_of(image: Image.Image, processor: Mapping[str, Any]) -> Array:
    """[3, height, width] in float32, as the processor of transformers makes it. Raises ValueError."""
    height, width = size_of(image.height, image.width, processor["size"])
    if not 0 < height * width <= MOST_PIXELS:
        raise ValueError(f"has {image.width} x {image.height} pixels, which would become {width} x {height}")
    pixels: Array = np.asarray(image.resize((width, height), processor["resample"]))
    if processor["crop_size"] is not None:
        pixels = cropped(pixels, processor["crop_size"]["height"], processor["crop_size"]["width"])
    if processor["rescale_factor"] is not None:
        pixels = pixels.astype(np.float64) * processor["rescale_factor"]
    pixels = pixels.astype(np.float32)
    if processor["image_mean"] is not None:
        mean, deviation = (np.array(processor[name], np.float32) for name in ("image_mean", "image_std"))
        pixels = (pixels - mean) / deviation
    return np.ascontiguousarray(pixels.transpose(2, 0, 1))


class TritonPythonModel:
    """See the documentation of Triton's Python backend."""

    def initialize(self, args: dict[str, str]) -> None:
        self.processor = json.loads((HERE / "processor.json").read_text(encoding="utf-8"))
        outputs = {output["name"] for output in json.loads(args["model_config"])["output"]}
        # For a last step that answers in pixels of the image.
        self.gives_size = "image_size" in outputs

    def execute(self, requests: Sequence[Any]) -> list[Any]:
        responses = []
        for request in requests:
            try:
                responses.append(self.answer(request))
            except ValueError as error:
                responses.append(pb_utils.InferenceResponse([], pb_utils.TritonError(str(error))))
        return responses

    def answer(self, request: Any) -> Any:
        """Raises ValueError for a request that it does not answer."""
        pixels, sizes = [], []
        for row, encoded in enumerate(pb_utils.get_input_tensor_by_name(request, "IMAGE").as_numpy().flat):
            try:
                image = read_image(encoded)
                pixels.append(pixels_of(image, self.processor))
            except ValueError as error:
                raise ValueError(f"IMAGE in row {row} {error}") from error
            sizes.append((image.height, image.width))
            if pixels[row].shape != pixels[0].shape:
                (_, *first), (_, *other) = pixels[0].shape, pixels[row].shape
                raise ValueError(
                    f"The images of a request have to come to one size: row 0 becomes {first[1]} x {first[0]} pixels, "
                    f"row {row} {other[1]} x {other[0]}. Send images of different shapes in requests of their own."
                )
        tensors = [pb_utils.Tensor("pixel_values", np.stack(pixels))]
        if self.gives_size:
            tensors.append(pb_utils.Tensor("image_size", np.array(sizes, np.int64)))
        return pb_utils.InferenceResponse(tensors)
