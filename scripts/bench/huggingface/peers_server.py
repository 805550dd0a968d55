"""The framework's own pipeline behind a plain HTTP server: JSON text in, JSON label and score out.

`peers_server.py FOLDER THREADS MOST_TOKENS` serves the text classification of FOLDER on a free port of the loopback
address and prints its port and the versions once it answers. Run with the environment of the component Transformers.
It ends with its standard input.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Callable

Classify = Callable[[str], Any]


def load(folder: str, threads: int, most_tokens: int) -> Classify:
    """The usual pipeline: its dictionary of label and score for a text."""
    import torch
    import transformers

    torch.set_num_threads(threads)
    pipe: Any = transformers.pipeline("text-classification", model=folder, device="cpu")
    return lambda text: pipe(text, truncation=True, max_length=most_tokens)[0]


class Server(ThreadingHTTPServer):
    """Connections that come at once wait here; the usual five would have others try again a second later."""

    request_queue_size = 64


def versions() -> str:
    import torch
    import transformers

    return f"transformers {transformers.__version__}, torch {torch.__version__}"


def handler_of(classify: Classify) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        """Connections are kept, and an answer is written at once: its second part would wait for Nagle's algorithm."""

        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True
        wbufsize = -1

        def do_POST(self) -> None:
            try:
                text = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["text"]
            except (ValueError, KeyError, TypeError):
                self._answer(400, {"error": 'The body has to be {"text": "…"}.'})
            else:
                self._answer(200, classify(text))

        def _answer(self, status: int, value: Any) -> None:
            body = json.dumps(value).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_request(self, code: Any = "-", size: Any = "-") -> None:
            """Nothing per request."""

    return Handler


def _end_with_input() -> None:
    sys.stdin.read()
    os._exit(0)


def main(arguments: list[str]) -> None:
    folder, threads, most_tokens = arguments
    # One call at a time, in the thread that loaded it, as transformers describes web servers: a tokenizer is not
    # shared between threads, and each thread that calls torch would have further threads of its own.
    worker = ThreadPoolExecutor(1)
    classify = worker.submit(load, folder, int(threads), int(most_tokens)).result()
    worker.submit(classify, "A first text.").result()
    server = Server(("127.0.0.1", 0), handler_of(lambda text: worker.submit(classify, text).result()))
    threading.Thread(target=_end_with_input, daemon=True).start()
    sys.stdout.write(json.dumps({"port": server.server_address[1], "versions": versions()}) + "\n")
    sys.stdout.flush()
    server.serve_forever()


if __name__ == "__main__":
    main(sys.argv[1:])
