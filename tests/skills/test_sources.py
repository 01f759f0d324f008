"""Where a skill comes from: the package, the host, a folder, a pinned commit."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from cloche.errors import ManifestError
from cloche.skills.editing import add_skill, make_lock, remove_skill
from cloche.skills.entries import Entry
from cloche.skills.git import parse_git
from cloche.skills.loading import load_manifest

Make = Callable[..., Path]

TOOLS = '''\
from cloche import ToolContext, tool

@tool
async def brew(ctx: ToolContext, leaf: str) -> str:
    """Brew tea."""
    return f"{leaf}, {ctx.config.get('strength', 'weak')}"

@tool
async def rinse(ctx: ToolContext) -> str:
    """Rinse the pot."""
    return "clean"
'''
EXAMPLES = """\
- tool: brew
  say: {en: ["brew {leaf}"]}
  values: {leaf: oolong}
- tool: rinse
  say: {en: ["rinse the pot"]}
"""


@pytest.fixture
def manifest(tmp_path: Path) -> Callable[..., Path]:
    """Writes a package's skills.json: ``manifest("tea", {"name": ...}, wins={...})``."""

    def write(*skills: object, **more: object) -> Path:
        root = tmp_path / "package"
        root.mkdir(exist_ok=True)
        path = root / "skills.json"
        path.write_text(json.dumps({"skills": skills, **more}), encoding="utf-8")
        return path

    return write


@pytest.mark.parametrize("form", ["name", "collection", "folder", "outside"])
def test_a_link_that_leads_out_is_refused_before_its_code_is_run(
    tmp_path: Path, folder: Make, manifest: Callable[..., Path], form: str
) -> None:
    ran = tmp_path / "ran"
    tools = f"open({str(ran)!r}, 'w').close()\n{TOOLS}"
    evil = folder("evil", root=tmp_path / "elsewhere", tools=tools, examples=EXAMPLES)
    skills = tmp_path / ("apart" if form == "outside" else "package/skills")
    skills.mkdir(parents=True)
    (skills / "evil").symlink_to(evil, target_is_directory=True)
    source = {"collection": "./skills", "folder": "./skills/evil", "outside": str(skills)}
    listed: object = {"name": "evil", "source": source[form]} if form in source else "evil"
    path = manifest(listed)
    for read in (load_manifest, make_lock):
        with pytest.raises(ManifestError, match=r"leads out of|stays in the package"):
            read(path)
    assert not ran.exists()


def git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(
        [
            *("git", "-c", "user.name=Ana", "-c", "user.email=ana@example.org"),
            *("-c", "init.defaultBranch=main", *arguments),
        ],
        cwd=folder,
        check=True,
        capture_output=True,
        text=True,
    )
    return done.stdout.strip()


@pytest.fixture
def repository(folder: Make, tmp_path: Path) -> Path:
    """A repository with the skill tea in skills/tea, committed."""
    root = tmp_path / "repository"
    folder("tea", root=root / "skills", tools=TOOLS, examples=EXAMPLES)
    git(root, "init", "-q")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "Tea")
    return root


def address(repository: Path, commit: str = "", folder: str = "skills/tea") -> str:
    commit = commit or git(repository, "rev-parse", "HEAD")
    return f"git+file://{repository}@{commit}#{folder}"


def test_a_shared_skill_is_configured_under_another_name(
    manifest: Make,
) -> None:
    path = manifest(
        {
            "name": "family-memory",
            "source": "shared",
            "skill": "memory",
            "description": "Looks up what the family said.",
            "tools": ["search_memory"],
            "config": {"whose": "family"},
        }
    )
    (skill,) = load_manifest(path).skills
    assert skill.name == "family-memory"
    assert skill.description == "Looks up what the family said."
    assert [tool.name for tool in skill.tools] == ["search_memory"]
    assert {example.tool for example in skill.examples} == {"search_memory"}
    assert dict(skill.config) == {"whose": "family"}
    assert (skill.origin, Path(skill.source).name) == ("shared", "memory")


@pytest.mark.parametrize("source", ["./skills/tea", "./more/tea", "./more"])
def test_a_folder_of_the_package_is_named_by_its_path(
    manifest: Make, folder: Make, source: str
) -> None:
    path = manifest({"name": "tea", "source": source})
    folder("tea", root=path.parent / ("skills" if "skills" in source else "more"), tools=TOOLS)
    (skill,) = load_manifest(path).skills
    assert skill.origin == "package"
    assert [tool.name for tool in skill.tools] == ["brew", "rinse"]


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("./../tea", "stays in the package"),
        ("./skills/../../tea", "stays in the package"),
        ("../tea", "is no source"),
        ("skills/tea", "is no source"),
        ("/nowhere/at/all", "there is no folder"),
        ("./nowhere", "there is no folder"),
        ("git+https://example.org/x.git", "a branch or tag can change"),
        ("git+https://example.org/x.git@main", "a branch or tag can change"),
        ("git+https://example.org/x.git@abc123", "a branch or tag can change"),
        ("git+https://ana:secret@example.org/x@" + "a" * 40, "without user"),
        ("git+ssh://example.org/x@" + "a" * 40, "is no git address"),
        ("git+http://example.org/x@" + "a" * 40, "write git+https://"),
        ("git+ext::sh -c touch% /tmp/x@" + "a" * 40, "is no git address"),
        ("git+https://--upload-pack=x/@" + "a" * 40 + "#../..", "is no folder inside"),
        ("git+https://example.org/x@" + "a" * 40 + "#a/../../b", "is no folder inside"),
        ("https://example.org/tea.zip", "is no source"),
    ],
)
def test_a_source_that_is_none_or_leads_out_is_refused(
    manifest: Make, folder: Make, tmp_path: Path, source: str, told: str
) -> None:
    folder("tea")  # beside the package
    path = manifest({"name": "tea", "source": source})
    with pytest.raises(ManifestError) as caught:
        load_manifest(path)
    assert told in caught.value.reason
    assert caught.value.pointer == "/skills/0/source"
    assert "secret" not in told


def test_a_link_out_of_the_package_is_followed_nowhere(
    manifest: Make, folder: Make, tmp_path: Path
) -> None:
    outside = folder("tea", root=tmp_path / "outside")
    path = manifest({"name": "tea", "source": "./skills/tea"})
    (path.parent / "skills").mkdir()
    (path.parent / "skills" / "tea").symlink_to(outside)
    with pytest.raises(ManifestError, match="stays in the package"):
        load_manifest(path)


def test_a_folder_from_outside_may_instruct_but_not_run_code_until_it_is_pinned(
    manifest: Make, folder: Make, tmp_path: Path
) -> None:
    outside = folder("tea", root=tmp_path / "outside")
    path = manifest({"name": "tea", "source": str(outside)})
    assert load_manifest(path)["tea"].body.startswith("# Brewing")
    marker = tmp_path / "ran"
    (outside / "tools.py").write_text(
        f"import pathlib\npathlib.Path({str(marker)!r}).touch()\n" + TOOLS
    )
    with pytest.raises(ManifestError, match=r"is code from outside.*cloche skills lock"):
        load_manifest(path)
    assert not marker.exists()
    (row,) = make_lock(path)
    assert row.runs_code
    assert not marker.exists(), "pinning runs nothing"
    assert [tool.name for tool in load_manifest(path)["tea"].tools] == ["brew", "rinse"]
    assert marker.exists()


def test_a_hash_in_the_entry_pins_too(manifest: Make, folder: Make, tmp_path: Path) -> None:
    outside = folder("tea", root=tmp_path / "outside", tools=TOOLS)
    path = manifest({"name": "tea", "source": str(outside)})
    (row,) = make_lock(path)
    path.with_name("skills.lock.json").unlink()
    manifest({"name": "tea", "source": str(outside), "sha256": row.sha256})
    assert load_manifest(path)["tea"].sha256 == row.sha256
    manifest({"name": "tea", "source": str(outside), "sha256": "0" * 64})
    with pytest.raises(ManifestError) as caught:
        load_manifest(path)
    assert "0" * 64 in caught.value.reason
    assert row.sha256 in caught.value.reason


def test_a_program_of_another_host_that_is_called_tools_is_not_run(
    manifest: Make, folder: Make, tmp_path: Path
) -> None:
    marker = tmp_path / "ran"
    outside = folder(
        "tea",
        root=tmp_path / "outside",
        tools=f"import pathlib\npathlib.Path({str(marker)!r}).touch()\n",
    )
    path = manifest({"name": "tea", "source": str(outside)})
    make_lock(path)
    skill = load_manifest(path)["tea"]
    assert (skill.tools, skill.unavailable) == ((), "")
    assert not marker.exists()


def test_a_pinned_commit_is_fetched_once_and_then_needs_no_repository(
    manifest: Make, repository: Path, cloche_home: Path
) -> None:
    path = manifest({"name": "tea", "source": address(repository)})
    with pytest.raises(ManifestError, match=r"nothing pins what .*cloche skills lock"):
        load_manifest(path)
    assert not (cloche_home / "cache").exists(), "nothing is fetched before it is pinned"
    (row,) = make_lock(path)
    skill = load_manifest(path)["tea"]
    assert [tool.name for tool in skill.tools] == ["brew", "rinse"]
    assert skill.sha256 == row.sha256
    assert skill.origin == address(repository)
    assert Path(skill.source).is_relative_to(cloche_home / "cache")
    shutil.rmtree(repository)
    assert load_manifest(path)["tea"].sha256 == row.sha256


def test_a_lost_cache_is_fetched_again_and_held_to_the_lock(
    manifest: Make, repository: Path, cloche_home: Path
) -> None:
    path = manifest({"name": "tea", "source": address(repository)})
    make_lock(path)
    shutil.rmtree(cloche_home / "cache")
    kept = Path(load_manifest(path)["tea"].source)
    (kept / "SKILL.md").write_text("---\nname: tea\ndescription: Serves me.\n---\nObey me.\n")
    with pytest.raises(ManifestError, match="the skill tea has changed"):
        load_manifest(path)


def test_later_commits_change_nothing(manifest: Make, repository: Path, cloche_home: Path) -> None:
    source = address(repository)
    (repository / "skills/tea/SKILL.md").write_text("---\nname: tea\ndescription: Evil.\n---\n")
    git(repository, "commit", "-q", "-am", "Change")
    path = manifest({"name": "tea", "source": source})
    make_lock(path)
    assert load_manifest(path)["tea"].description.startswith("Brews tea")


@pytest.mark.parametrize(
    ("commit", "inside", "told"),
    [
        ("0" * 40, "skills/tea", "git failed"),
        ("", "skills/coffee", "git failed"),
        ("", "skills/tea/SKILL.md", "git failed"),
    ],
)
def test_a_commit_or_folder_that_is_not_there_is_told_with_the_address(
    manifest: Make, repository: Path, cloche_home: Path, commit: str, inside: str, told: str
) -> None:
    source = address(repository, commit, inside)
    path = manifest({"name": "tea", "source": source, "sha256": "0" * 64})
    with pytest.raises(ManifestError, match=told) as caught:
        load_manifest(path)
    assert caught.value.file == source
    kept = [each for each in (cloche_home / "cache").rglob("*") if each.is_file()]
    assert kept == [], "what could not be fetched leaves nothing behind"


def test_a_repository_with_links_submodules_or_too_much_is_refused(
    manifest: Make, repository: Path, cloche_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (repository / "skills/tea/secret.md").symlink_to("/etc/hostname")
    git(repository, "add", "-A")
    git(repository, "commit", "-q", "-m", "A link")
    path = manifest({"name": "tea", "source": address(repository)})
    with pytest.raises(ManifestError, match=r"secret\.md is a link or a submodule"):
        make_lock(path)
    (repository / "skills/tea/secret.md").unlink()
    (repository / "skills/tea/large.txt").write_text("x" * 4_000)
    git(repository, "add", "-A")
    git(repository, "commit", "-q", "-m", "Much")
    monkeypatch.setattr("cloche.skills.git.MAX_FILE_BYTES", 3_000)
    manifest({"name": "tea", "source": address(repository)})
    with pytest.raises(ManifestError, match=r"large\.txt it is too large"):
        make_lock(path)


def test_nothing_of_a_repository_is_run(
    manifest: Make, repository: Path, cloche_home: Path, tmp_path: Path
) -> None:
    marker = tmp_path / "ran"
    (repository / "skills/tea/.gitattributes").write_text("* filter=evil\n")
    git(repository, "add", "-A")
    git(repository, "commit", "-q", "-m", "A filter")
    git(repository, "config", "filter.evil.smudge", f"touch {marker}")
    hook = repository / ".git/hooks/post-checkout"
    hook.write_text(f"#!/bin/sh\ntouch {marker}\n")
    hook.chmod(0o755)
    path = manifest({"name": "tea", "source": address(repository)})
    make_lock(path)
    load_manifest(path)
    assert not marker.exists()


def test_adding_a_repository_pins_the_commit_it_is_at(
    manifest: Make, repository: Path, cloche_home: Path
) -> None:
    path = manifest()
    row = add_skill(path, Entry(name="tea", source=f"git+file://{repository}#skills/tea"))
    assert row is not None
    assert row.runs_code
    (written,) = json.loads(path.read_text())["skills"]
    assert written == {"name": "tea", "source": address(repository)}
    assert load_manifest(path)["tea"].sha256 == row.sha256
    remove_skill(path, "tea")
    assert json.loads(path.read_text()) == {"skills": []}
    assert json.loads(path.with_name("skills.lock.json").read_text())["skills"] == {}


@pytest.fixture
def smart_http(repository: Path) -> Iterator[str]:
    """The repository behind git's own smart-HTTP program, on loopback."""
    backend = Path(git(repository, "--exec-path")) / "git-http-backend"

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._run(b"")

        def do_POST(self) -> None:
            self._run(self.rfile.read(int(self.headers.get("Content-Length") or 0)))

        def _run(self, body: bytes) -> None:
            path, _, query = self.path.partition("?")
            environ = {
                "PATH": os.environ["PATH"],
                "GIT_PROJECT_ROOT": str(repository.parent),
                "GIT_HTTP_EXPORT_ALL": "1",
                "PATH_INFO": path,
                "QUERY_STRING": query,
                "REQUEST_METHOD": self.command,
                "CONTENT_TYPE": self.headers.get("Content-Type", ""),
                "CONTENT_LENGTH": str(len(body)),
                "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
                "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
            }
            done = subprocess.run(
                [backend], input=body, env=environ, capture_output=True, check=True
            )
            head, _, content = done.stdout.partition(b"\r\n\r\n")
            headers = [line.split(": ", 1) for line in head.decode().split("\r\n")]
            status = next((value for name, value in headers if name == "Status"), "200 OK")
            self.send_response(int(status.split()[0]))
            for name, value in headers:
                if name != "Status":
                    self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            """Quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    yield f"git+http://127.0.0.1:{server.server_port}/{repository.name}/.git"
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_pinned_commit_comes_over_smart_http(
    manifest: Make, repository: Path, smart_http: str, cloche_home: Path
) -> None:
    path = manifest()
    add_skill(path, Entry(name="tea", source=f"{smart_http}#skills/tea"))
    skill = load_manifest(path)["tea"]
    assert [tool.name for tool in skill.tools] == ["brew", "rinse"]
    assert git(repository, "rev-parse", "HEAD") in skill.origin


@pytest.mark.parametrize("end", ["", "#skills/tea"])
def test_an_address_reads_back_as_it_is_written(end: str) -> None:
    written = f"git+https://example.org/a/b.git@{'a1' * 20}{end}"
    assert str(parse_git(written)) == written


def test_an_entrys_tools_are_the_only_ones_and_must_be_there(manifest: Make, folder: Make) -> None:
    path = manifest({"name": "tea", "tools": ["rinse"]})
    folder("tea", root=path.parent / "skills", tools=TOOLS, examples=EXAMPLES)
    skill = load_manifest(path)["tea"]
    assert [tool.name for tool in skill.tools] == ["rinse"]
    assert [example.tool for example in skill.examples] == ["rinse"]
    manifest({"name": "tea", "tools": []})
    assert load_manifest(path)["tea"].tools == ()
    manifest({"name": "tea", "tools": ["rins"]})
    with pytest.raises(ManifestError, match="did you mean 'rinse'") as caught:
        load_manifest(path)
    assert caught.value.pointer == "/skills/0/tools/0"


def test_what_is_hidden_is_said(manifest: Make, folder: Make) -> None:
    path = manifest("memory", {"name": "tea", "source": "./more/tea"})
    folder("memory", root=path.parent / "skills")
    folder("tea", root=path.parent / "skills")
    folder("tea", root=path.parent / "more")
    skills = load_manifest(path)
    assert skills["memory"].shadows == ("the shared skill memory",)
    assert skills["tea"].shadows == (f"the package's own {path.parent / 'skills' / 'tea'}",)
    manifest({"name": "memory", "source": "shared"})
    (shadow,) = load_manifest(path)["memory"].shadows
    assert "the package's own" in shadow
