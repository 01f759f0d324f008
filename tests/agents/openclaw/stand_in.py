"""A program in the gateway's place, that is ready at once: ``python stand_in.py gateway run``.

It reads its configuration, knows its token and asks its model endpoint once for each turn, as the
gateway does. What it shall do besides stands in a file beside the configuration, ``orders.json``:
let everybody in (``lets_in``), say something on its standard error (``says``) and then end
(``ends``), or stay when it is told to end (``stays``). A turn's words may be orders, too:
``lose`` has it fail the turn, and ``give up`` give its question up and do nothing.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

PATH = Path(os.environ["OPENCLAW_CONFIG_PATH"])
CONFIG = json.loads(PATH.read_text())
ORDERS: dict[str, Any] = {}
if (orders := PATH.with_name("orders.json")).exists():
    ORDERS = json.loads(orders.read_text())


class Handler(BaseHTTPRequestHandler):
    @property
    def is_known(self) -> bool:
        known = f"Bearer {CONFIG['gateway']['auth']['token']}"
        return bool(ORDERS.get("lets_in") or self.headers.get("Authorization") == known)

    def reply(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self) -> None:
        ok = self.path == "/ready" or (self.path == "/v1/models" and self.is_known)
        self.reply(200 if ok else 401, b'{"ready": true}')

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        words = asked["messages"][-1]["content"]
        if not self.is_known:
            self.reply(401, b"{}")
        elif "lose" in words:
            self.reply(200, b'data: {"error": {}}\n\n')
        else:
            try:
                self.ask(asked["messages"], seconds=0.3 if "give up" in words else 60)
            except TimeoutError:
                time.sleep(60)
            self.reply(200, b"data: [DONE]\n\n")

    def ask(self, messages: list[Any], seconds: float) -> None:
        provider, _, model = self.headers["x-openclaw-model"].partition("/")
        there = CONFIG["models"]["providers"][provider]
        request = urllib.request.Request(
            f"{there['baseUrl']}/chat/completions",
            json.dumps({"model": model, "messages": messages}).encode(),
            {"Authorization": f"Bearer {there['apiKey']}", "Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=seconds) as answer:
            answer.read()

    def log_message(self, *_: object) -> None:
        pass


if __name__ == "__main__":
    sys.stderr.write(ORDERS.get("says", ""))
    sys.stderr.flush()
    if ORDERS.get("stays"):
        signal.signal(signal.SIGTERM, lambda *_: None)
    if ORDERS.get("ends"):
        sys.exit(3)
    ThreadingHTTPServer(("127.0.0.1", CONFIG["gateway"]["port"]), Handler).serve_forever()
