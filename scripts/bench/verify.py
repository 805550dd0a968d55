"""32 images through PyTorch and through Triton: outputs compared, top-1 and top-5 of both as CSV.

Arguments: model folder, folder of export.py's files, gRPC address. Ends with 1 when an output is further off than
allowed.
"""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import torch
from tritonclient import grpc

BATCH = 8
ATOL = RTOL = 1e-3


def main(model_dir: Path, work: Path, address: str) -> int:
    sys.path.insert(0, str(model_dir.parent))
    folder = model_dir.name
    dataset = work / "dataset"
    # Class folders named by numbers, spread over the thousand classes, as the preset's full profile has them.
    import_module(f"{folder}.make_dataset").make_dataset(str(dataset), dataset_classes=8, val_images=4)
    model, _ = import_module(f"{folder}.model").get_model(seed=0)
    model.load_state_dict(torch.load(work / "checkpoint.pt", weights_only=True))
    model.eval()
    client = grpc.InferenceServerClient(address)
    wanted = [grpc.InferRequestedOutput("OUTPUT__0")]
    ids: list[str] = []
    parts: list[tuple[Any, Any, Any]] = []
    loader = import_module(f"{folder}.dataloader").get_dataloader_fn(str(dataset), batch_size=BATCH)
    for names, x, y in loader():
        images = x["INPUT__0"]
        tensor = grpc.InferInput("INPUT__0", list(images.shape), "FP32")
        tensor.set_data_from_numpy(images)
        with torch.no_grad():
            here = model(torch.from_numpy(images)).numpy()
        answer = client.infer("resnet50", [tensor], outputs=wanted)
        ids.extend(names)
        parts.append((here, answer.as_numpy("OUTPUT__0"), y["OUTPUT__0"]))
    framework, served, labels = (np.concatenate(arrays) for arrays in zip(*parts))
    calculator = import_module(f"{folder}.metrics").MetricsCalculator()
    for name, outputs in (("framework", framework), ("triton", served)):
        values = calculator.calc(ids=ids, y_pred={"OUTPUT__0": outputs}, x=None, y_real={"OUTPUT__0": labels})
        text = f"{','.join(values)}\n{','.join(map(str, values.values()))}\n"
        (work / f"metrics-{name}.csv").write_text(text, encoding="utf-8")
    sys.stdout.write(f"largest difference {np.abs(framework - served).max():.3g} over {len(ids)} images\n")
    return 0 if np.allclose(served, framework, rtol=RTOL, atol=ATOL) else 1


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]))
