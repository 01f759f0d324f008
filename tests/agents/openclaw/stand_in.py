"""A program in the gateway's place, that is ready at once: ``python stand_in.py gateway run``.

It knows its configuration's token, as the gateway does, unless ``lets_in`` says that it knows
everybody. It tells on its standard error what ``says``, then ends where it ``ends``, and ``stays``
when it is told to end.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path


def main() -> None:
    config = json.loads(Path(os.environ["OPENCLAW_CONFIG_PATH"]).read_text())
    sys.stderr.write(config.get("says", ""))
    sys.stderr.flush()
    if config.get("stays"):
        signal.signal(signal.SIGTERM, lambda *_: None)
    if config.get("ends"):
        sys.exit(3)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            shown = self.headers.get("Authorization")
            known = config.get("lets_in") or shown == f"Bearer {config['token']}"
            ok = self.path == "/ready" or (self.path == "/v1/models" and known)
            body = b'{"ready": true}'
            self.send_response(200 if ok else 401)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    ThreadingHTTPServer(("127.0.0.1", config["port"]), Handler).serve_forever()


main()
