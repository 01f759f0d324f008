"""Put OpenClaw and the Node it runs on under the cache folder, as the lock beside this file says.

``python3 requirements/openclaw/install.py``; ``CLOCHE_OPENCLAW__FOLDER`` names another folder.
npm checks every package against the lock's hashes, and runs no package's scripts. What was
fetched before a break is kept, so that the next run goes on from there. Nothing is done when it
is there already. ``cloche.agents.openclaw.installation`` reads what is written here.
"""

import hashlib
import json
import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
FILES = ("package.json", "package-lock.json")
POINTER = "installed.json"
NODES = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64", "arm64": "arm64"}
NPM = ("ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")
NODE_AT_LEAST = (24, 16)


def main() -> None:
    """Install it, unless it is there."""
    folder = cache_folder()
    if is_ready(folder):
        say(f"OpenClaw is there: {folder}\n")
        return
    npm = shutil.which("npm")
    if npm is None:
        sys.exit("npm is needed to fetch OpenClaw and Node; on Debian and Ubuntu: apt install npm.")
    place = folder / fingerprint()[:12]
    place.mkdir(mode=0o700, parents=True, exist_ok=True)
    for name in FILES:
        shutil.copyfile(HERE / name, place / name)
    say("Fetching OpenClaw and Node, 840 MB on disk; the first time takes a minute or two.\n")
    # The system's own Node only runs npm: that it is too old for OpenClaw is no news here.
    command = [npm, *NPM, "--prefix", str(place), "--cache", str(folder / "npm")]
    result = subprocess.run(
        command, check=False, capture_output=True, encoding="utf-8", errors="replace"
    )
    if result.returncode:
        sys.exit(f"{result.stderr.strip()}\nnpm could not install it: run the same again to go on.")
    node = node_of(place)
    version = started(node, place)
    write_pointer(folder, place, node, version)
    for old in folder.iterdir():
        if old.is_dir() and old != place:
            shutil.rmtree(old, ignore_errors=True)  # the packages' cache too: all is in place now
    say(f"OpenClaw {version} is ready: {place}\n")


def cache_folder() -> Path:
    """Where it goes: the folder that is set, else the platform's cache folder for Cloche."""
    if chosen := os.environ.get("CLOCHE_OPENCLAW__FOLDER"):
        return Path(chosen).expanduser().absolute()
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "cloche" / "openclaw"
    base = os.environ.get("XDG_CACHE_HOME", "").strip()
    return (Path(base) if base else Path.home() / ".cache") / "cloche" / "openclaw"


def fingerprint() -> str:
    """Changes with the lock and with the machine's kind."""
    digest = hashlib.sha256(f"{sys.platform} {platform.machine()}".encode())
    for name in FILES:
        digest.update((HERE / name).read_bytes())
    return digest.hexdigest()


def is_ready(folder: Path) -> bool:
    """True when what the lock names was installed whole."""
    try:
        pointer = json.loads((folder / POINTER).read_text("utf-8"))
    except (OSError, ValueError):
        return False
    there = all(Path(pointer[key]).is_file() for key in ("node", "openclaw"))
    return there and pointer["fingerprint"] == fingerprint()


def node_of(place: Path) -> Path:
    """The Node that came with it, else the system's where that is new enough."""
    kind = NODES.get(platform.machine().lower(), "")
    own = place / "node_modules" / f"node-linux-{kind}" / "bin" / "node"
    if sys.platform == "linux" and own.is_file():
        return own
    system = shutil.which("node")
    if system is None or node_version(Path(system)) < NODE_AT_LEAST:
        sys.exit("This machine's kind needs Node 24.16 or later on PATH: install it, then go on.")
    return Path(system)


def node_version(node: Path) -> "tuple[int, ...]":
    """Major and minor version."""
    told = subprocess.run([str(node), "--version"], check=True, capture_output=True, text=True)
    return tuple(int(part) for part in told.stdout.strip().lstrip("v").split(".")[:2])


def started(node: Path, place: Path) -> str:
    """The version it names when it is run: it really starts here."""
    script = place / "node_modules" / "openclaw" / "openclaw.mjs"
    environment = {"PATH": f"{node.parent}{os.pathsep}{os.defpath}", "HOME": str(place)}
    result = subprocess.run(
        [str(node), str(script), "--version"],
        check=False,
        capture_output=True,
        text=True,
        env=environment,
    )
    if result.returncode:
        sys.exit(f"{result.stderr.strip()}\nOpenClaw was fetched and does not start here.")
    return json.loads((script.parent / "package.json").read_text("utf-8"))["version"]


def write_pointer(folder: Path, place: Path, node: Path, version: str) -> None:
    """Say what is where; written last and at once, so that what is half there is not found."""
    pointer = {
        "fingerprint": fingerprint(),
        "node": str(node),
        "openclaw": str(place / "node_modules" / "openclaw" / "openclaw.mjs"),
        "version": version,
    }
    half = folder / f"{POINTER}.new"
    half.write_text(json.dumps(pointer, indent=2) + "\n", encoding="utf-8")
    half.replace(folder / POINTER)


def say(text: str) -> None:
    """Tell whoever waits."""
    sys.stderr.write(text)
    sys.stderr.flush()


if __name__ == "__main__":
    main()
