# The client of a Triton for machines without GPUs: toolkit packages, perf_analyzer and Node for the load generator.
# Everything but the last lines is the same as in triton-cpu.Dockerfile, so that both share layers and build cache.
# Debian's packages: asked for only where they are missing, so that a base that has them builds without a network.
FROM debian:bookworm-slim AS base
RUN set -eu; \
    missing=; \
    for package in ca-certificates libgomp1 libpython3.11 nodejs python3 python3-venv; do \
      dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' || missing="$missing $package"; \
    done; \
    if [ -n "$missing" ]; then \
      apt-get update; \
      DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $missing; \
      rm -rf /var/lib/apt/lists/*; \
    fi; \
    groupadd --gid 1000 workbench; \
    useradd --uid 1000 --gid 1000 --no-create-home --home-dir /tmp --shell /usr/sbin/nologin workbench

FROM base AS packages
COPY requirements /build/requirements
COPY wheels /build/wheels
WORKDIR /build
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_INPUT=1 PIP_NO_CACHE_DIR=1 PIP_PROGRESS_BAR=off
# Wheels of the context come first, without any index; pip's own index is asked when they are none or too few.
# Each is checked against the hashes of the lock. PyTorch is not in it, as its builds differ by index: the one for CPUs is
# 2 GB smaller, and its local version "+cpu" outranks the plain one where an index offers it.
RUN set -eu; \
    python3 -m venv /opt/workbench/python; \
    pip=/opt/workbench/python/bin/pip; \
    grep '^torch==' requirements/runtime.txt > torch.txt; \
    locked='--no-deps --require-hashes -r requirements/locked/runtime.txt'; \
    if ! { ls wheels/*.whl >/dev/null 2>&1 && \
        $pip install --no-index --find-links=wheels $locked && \
        $pip install --no-index --find-links=wheels -r torch.txt; }; then \
      $pip install --find-links=wheels $locked; \
      $pip install --find-links=wheels --extra-index-url https://download.pytorch.org/whl/cpu -r torch.txt; \
    fi; \
    if ! ls wheels/perf-analyzer/*.whl >/dev/null 2>&1; then \
      $pip download --no-deps --only-binary=:all: --require-hashes --dest wheels/perf-analyzer \
        -r requirements/perf-analyzer.txt; \
    fi
# Triton and perf_analyzer out of their wheels. The Python backend's stub is linked against one Python version;
# perf_analyzer borrows two libraries of Triton's wheel, whose names there carry a hash.
RUN set -eu; \
    packages=/opt/workbench/python/lib/python3.11/site-packages; \
    server="$packages/pytriton/tritonserver"; \
    libraries="$packages/nvidia_pytriton.libs"; \
    mkdir -p /opt/workbench/triton/bin /opt/workbench/perf-analyzer/bin /opt/workbench/perf-analyzer/lib; \
    ln -s "$server/bin/tritonserver" /opt/workbench/triton/bin/tritonserver; \
    mv "$server/backends" /opt/workbench/triton/backends; \
    cp "$server/python_backend_stubs/3.11/triton_python_backend_stub" /opt/workbench/triton/backends/python/; \
    chmod 755 /opt/workbench/triton/backends/python/triton_python_backend_stub; \
    rm -rf "$server/python_backend_stubs"; \
    python3 -c 'import glob, sys, zipfile; \
archive = zipfile.ZipFile(glob.glob("wheels/perf-analyzer/tritonclient-*.whl")[0]); \
name = next(n for n in archive.namelist() if n.endswith(".data/data/bin/perf_analyzer")); \
open(sys.argv[1], "wb").write(archive.read(name))' /opt/workbench/perf-analyzer/bin/perf_analyzer; \
    chmod 755 /opt/workbench/perf-analyzer/bin/perf_analyzer; \
    ln -s "$libraries"/libb64-*.so.0d /opt/workbench/perf-analyzer/lib/libb64.so.0d; \
    ln -s "$libraries"/libcudart-*.so.12* /opt/workbench/perf-analyzer/lib/libcudart.so.12; \
    /opt/workbench/python/bin/pip uninstall --yes pip
# An image for TensorFlow models has a second environment, and the name that PATH holds leads to it.
ARG FRAMEWORK=pyt
RUN set -eu; \
    if [ "$FRAMEWORK" = tf ]; then \
      python3 -m venv /opt/workbench/tensorflow; \
      pip=/opt/workbench/tensorflow/bin/pip; \
      locked='--no-deps --require-hashes -r requirements/locked/tensorflow.txt'; \
      if ! { ls wheels/tensorflow/*.whl >/dev/null 2>&1 && \
          $pip install --no-index --find-links=wheels/tensorflow $locked; }; then \
        $pip install $locked; \
      fi; \
      $pip uninstall --yes pip; \
      ln -s tensorflow /opt/workbench/environment; \
    else \
      ln -s python /opt/workbench/environment; \
    fi
# What the classic builder leaves of this stage is listed as an image without a name: the label says whose it is.
LABEL triton-workbench.image=build

FROM base
COPY --from=packages /opt/workbench /opt/workbench
# The stub of Triton's Python backend takes the first "python" of PATH. The toolkit is mounted at run time.
# USER and HOME let Python name its user and its caches when the container runs as a user that is not in /etc/passwd.
ENV PATH=/opt/workbench/environment/bin:/opt/workbench/triton/bin:/opt/workbench/perf-analyzer/bin:/usr/local/bin:/usr/bin:/bin \
    LD_LIBRARY_PATH=/opt/workbench/python/lib/python3.11/site-packages/nvidia_pytriton.libs:/opt/workbench/perf-analyzer/lib \
    PYTHONPATH=/workbench/resources:/opt/workbench/environment/lib/python3.11/site-packages \
    PYTHONNOUSERSITE=1 PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 LANG=C.UTF-8 HOME=/tmp USER=workbench
WORKDIR /tmp
USER 1000:1000
ARG FRAMEWORK=pyt
# Loads what the image is for, so that a broken one is never tagged.
RUN modules=torch; if [ "$FRAMEWORK" = tf ]; then modules='tensorflow, tf2onnx, pyarrow.parquet'; fi; \
    ldd /opt/workbench/triton/bin/tritonserver /opt/workbench/triton/backends/python/triton_python_backend_stub \
      /opt/workbench/perf-analyzer/bin/perf_analyzer | { ! grep 'not found'; } && \
    python -c "import $modules, onnxruntime, onnx, tritonclient.grpc, tritonclient.http" && node --version

# The version is the one of Triton that nvidia-pytriton of requirements/runtime.txt brings.
LABEL org.opencontainers.image.title="Triton Workbench: client on the CPU" \
    org.opencontainers.image.version="2.51.0"
CMD ["python", "-m", "toolkit", "--help"]
