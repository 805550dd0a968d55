"""A real tritonserver from the installed wheel, on free ports of the loopback interface."""

from __future__ import annotations

import importlib.util
import os
import shutil
import socket
import subprocess
import sys
import sysconfig
import time
import urllib.error
import urllib.request
from pathlib import Path

#: Starting takes about two seconds on an idle machine.
_START_LIMIT_S = 90


def _package(name: str) -> Path:
    spec = importlib.util.find_spec(name)
    if spec is None or not spec.submodule_search_locations:
        raise RuntimeError(f"the package {name} is not installed: see resources/requirements")
    return Path(next(iter(spec.submodule_search_locations)))


def _free_ports(count: int) -> list[int]:
    sockets = [socket.socket() for _ in range(count)]
    try:
        for item in sockets:
            item.bind(("127.0.0.1", 0))
        return [int(item.getsockname()[1]) for item in sockets]
    finally:
        for item in sockets:
            item.close()


class TritonServer:
    """Explicit model control on `root/models`; its log is `root/server.log`."""

    def __init__(self, root: Path) -> None:
        self.models = root / "models"
        self.models.mkdir(parents=True)
        self.log = root / "server.log"
        source = _package("pytriton") / "tritonserver"
        backend = root / "backends" / "python"
        shutil.copytree(source / "backends" / "python", backend)
        version = f"{sys.version_info.major}.{sys.version_info.minor}"
        stub = "triton_python_backend_stub"
        shutil.copy(source / "python_backend_stubs" / version / stub, backend / stub)
        site = source.parents[1]
        libraries = [str(site / "nvidia_pytriton.libs"), str(sysconfig.get_config_var("LIBDIR"))]
        ports = _free_ports(3)
        self.http, self.grpc = (f"127.0.0.1:{port}" for port in ports[:2])
        command = [str(source / "bin" / "tritonserver"), f"--model-repository={self.models}"]
        command += [f"--backend-directory={backend.parent}", "--model-control-mode=explicit"]
        for name, port in zip(("http", "grpc", "metrics"), ports):
            command += [f"--{name}-address=127.0.0.1", f"--{name}-port={port}"]
        environment = {
            **os.environ,
            # The Python of the stub finds its packages by the first python of PATH.
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "LD_LIBRARY_PATH": ":".join(libraries),
            "PYTHONPATH": str(site),
        }
        with self.log.open("wb") as log:
            self._process = subprocess.Popen(command, env=environment, stdout=log, stderr=subprocess.STDOUT)
        self._wait_until_ready()

    def _wait_until_ready(self) -> None:
        limit = time.monotonic() + _START_LIMIT_S
        while True:
            if self._process.poll() is not None or time.monotonic() > limit:
                self.stop()
                raise RuntimeError(f"tritonserver did not start:\n{self.log.read_text()[-3000:]}")
            try:
                with urllib.request.urlopen(f"http://{self.http}/v2/health/ready", timeout=5):
                    return
            except (urllib.error.URLError, OSError):
                time.sleep(0.05)

    def stop(self) -> None:
        self._process.terminate()
        try:
            self._process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
