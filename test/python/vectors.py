"""What the tests of published checkpoints share: small vectors of NVIDIA's networks, and the comparison with them."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

import numpy as np

_ROOT = Path(__file__).resolve().parents[2]
VECTORS = _ROOT / "test" / "fixtures" / "vectors"


def comparison() -> Any:
    """The module behind `npm run vectors`."""
    path = _ROOT / "scripts" / "vectors" / "vectors.py"
    spec = importlib.util.spec_from_file_location("vectors_script", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["vectors_script"] = module
    spec.loader.exec_module(module)
    return module


def arrays(network: str, name: str = "weights") -> dict[str, Any]:
    with np.load(VECTORS / network / f"{name}.npz", allow_pickle=False) as file:
        return {key: file[key] for key in file.files}
