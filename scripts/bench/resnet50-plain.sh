#!/usr/bin/env bash
# The full-size ResNet-50 of the preset, as an engineer does it by hand with as few processes as it takes: plain PyTorch to
# ONNX, config.pbtxt, Triton, 32 images through both, perf_analyzer, CSV. See common.sh for what it wants.
here=$(dirname "${BASH_SOURCE[0]}")
. "$here/common.sh"

export_model() { "$PYTHON" "$here/export.py" "$RESOURCES/models/resnet50" "$WORK"; }
verify() {
  "$PYTHON" "$here/verify.py" "$RESOURCES/models/resnet50" "$WORK" "127.0.0.1:$GRPC_PORT"
}

step export export_model
step configure write_repository "$WORK/model.onnx"
step deploy start_server
step verify verify
step load load_all
step csv write_csv
step stop stop_server
