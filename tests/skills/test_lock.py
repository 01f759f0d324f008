"""The lock: what was resolved, and the hash each folder is held to."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import cloche
from cloche.errors import ManifestError
from cloche.skills import fingerprint
from cloche.skills.editing import add_skill, make_lock, remove_skill
from cloche.skills.entries import Entry
from cloche.skills.fingerprint import files_of, folder_sha256
from cloche.skills.loading import load_manifest

Make = Callable[..., Path]


@pytest.fixture
def package(tmp_path: Path, folder: Make) -> Path:
    """A package with the skills tea (its own) and memory (shared); its skills.json."""
    root = tmp_path / "package"
    folder("tea", root=root / "skills")
    path = root / "skills.json"
    path.write_text(json.dumps({"skills": ["tea", "memory"]}))
    return path


def written(package: Path) -> dict[str, dict[str, str]]:
    lock: dict[str, dict[str, str]] = json.loads(package.with_name("skills.lock.json").read_text())[
        "skills"
    ]
    return lock


def test_a_lock_says_where_each_skill_is_from_and_what_it_hashes_to(package: Path) -> None:
    rows = make_lock(package)
    assert [(row.name, row.source, row.before) for row in rows] == [
        ("tea", "./skills/tea", ""),
        ("memory", "shared", ""),
    ]
    assert written(package)["tea"] == {
        "source": "./skills/tea",
        "skill": "tea",
        "sha256": folder_sha256(package.parent / "skills/tea"),
    }
    assert written(package)["memory"]["host"] == cloche.__version__
    assert load_manifest(package)["tea"].sha256 == rows[0].sha256


def test_locking_twice_writes_the_same_bytes(package: Path) -> None:
    make_lock(package)
    first = package.with_name("skills.lock.json").read_bytes()
    rows = make_lock(package)
    assert package.with_name("skills.lock.json").read_bytes() == first
    assert all(row.before == row.sha256 for row in rows)


def test_a_changed_skill_is_refused_with_both_hashes_and_what_to_do(package: Path) -> None:
    before = make_lock(package)[0].sha256
    skill = package.parent / "skills/tea/SKILL.md"
    skill.write_text(skill.read_text() + "\nAnd add sugar.\n")
    after = folder_sha256(skill.parent)
    with pytest.raises(ManifestError) as caught:
        load_manifest(package)
    assert f"sha256 {before}" in caught.value.reason
    assert after in caught.value.reason
    assert "run `cloche skills lock`" in caught.value.reason
    assert make_lock(package)[0].before == before
    assert load_manifest(package)["tea"].body.endswith("And add sugar.")


def test_an_entry_that_moved_is_refused_until_it_is_locked_again(
    package: Path, folder: Make
) -> None:
    make_lock(package)
    folder("tea", root=package.parent / "more")
    package.write_text(json.dumps({"skills": [{"name": "tea", "source": "./more/tea"}]}))
    with pytest.raises(ManifestError, match=r"it pins tea of \./skills/tea, but tea comes from"):
        load_manifest(package)
    make_lock(package)
    assert set(written(package)) == {"tea"}
    load_manifest(package)


def test_another_version_of_the_host_may_bring_another_shared_skill(package: Path) -> None:
    make_lock(package)
    path = package.with_name("skills.lock.json")
    lock = json.loads(path.read_text())
    lock["skills"]["memory"]["sha256"] = "0" * 64
    path.write_text(json.dumps(lock))
    with pytest.raises(ManifestError, match="the skill memory has changed"):
        load_manifest(package)
    lock["skills"]["memory"]["host"] = "0.0.1"
    path.write_text(json.dumps(lock))
    assert load_manifest(package)["memory"].sha256 == ""


@pytest.mark.parametrize(
    ("lock", "told"),
    [
        ("{", "it is not JSON"),
        ('{"version": 1}', "'skills' is missing"),
        ('{"version": 2, "skills": {}}', "1 was expected"),
        ('{"version": 1, "skills": {"tea": {"source": "x", "skill": "tea"}}}', "'sha256' is"),
        (
            '{"version": 1, "skills": {"tea": {"source": "x", "skill": "tea", "sha256": "A"}}}',
            "does not match",
        ),
    ],
)
def test_a_lock_that_cannot_be_read_stops_what_it_should_pin(
    package: Path, lock: str, told: str
) -> None:
    package.with_name("skills.lock.json").write_text(lock)
    with pytest.raises(ManifestError, match=told) as caught:
        load_manifest(package)
    assert caught.value.file.endswith("skills.lock.json")


def test_adding_keeps_the_file_as_it_was_but_for_the_new_entry(package: Path, folder: Make) -> None:
    folder("cake", root=package.parent / "skills")
    package.write_text(
        '{"$schema": "s.json", "version": 1, "skills": ["tea", {"name": "memory"}]}\n'
    )
    add_skill(package, Entry(name="cake"))
    assert json.loads(package.read_text()) == {
        "$schema": "s.json",
        "version": 1,
        "skills": ["tea", {"name": "memory"}, "cake"],
    }
    assert not package.with_name("skills.lock.json").exists(), "nothing was pinned before"
    make_lock(package)
    remove_skill(package, "memory")
    assert set(written(package)) == {"tea", "cake"}
    with pytest.raises(ManifestError, match="'memory' is not listed: there are tea, cake"):
        remove_skill(package, "memory")
    with pytest.raises(ManifestError, match="listed already"):
        add_skill(package, Entry(name="tea"))


def test_what_cannot_be_added_changes_nothing(package: Path) -> None:
    before = package.read_bytes()
    for source in ("./nowhere", "/nowhere", "nowhere", ""):
        with pytest.raises(ManifestError):
            add_skill(package, Entry(name="cake", source=source))
    assert package.read_bytes() == before
    assert sorted(path.name for path in package.parent.iterdir()) == ["skills", "skills.json"]


# What a folder hashes to


def test_the_hash_is_the_same_wherever_the_folder_lies(folder: Make, tmp_path: Path) -> None:
    one = folder("tea", tools="x = 1\n", examples="[]\n")
    other = tmp_path / "elsewhere" / "called-otherwise"
    shutil.copytree(one, other)
    os.utime(other / "SKILL.md", (1, 1))
    (other / "tools.py").chmod(0o755)
    (other / "__pycache__").mkdir()
    (other / "__pycache__" / "tools.cpython-311.pyc").write_bytes(b"x")
    (other / ".DS_Store").write_bytes(b"x")
    assert folder_sha256(other) == folder_sha256(one)


def test_the_hash_is_what_its_description_says(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "c.md").write_bytes(b"two")
    (tmp_path / "a.md").write_bytes(b"")
    text = b"4\na.md0\n6\nb/c.md3\ntwo"
    from hashlib import sha256

    assert folder_sha256(tmp_path) == sha256(text).hexdigest()


names = st.text(st.characters(codec="utf-8", exclude_characters="/\0."), min_size=1, max_size=8)


@given(one=st.dictionaries(names, st.binary(max_size=9), max_size=4), data=st.data())
def test_any_change_of_a_file_changes_the_hash(
    tmp_path_factory: pytest.TempPathFactory, one: dict[str, bytes], data: st.DataObject
) -> None:
    other = dict(one)
    name = data.draw(names)
    other[name] = data.draw(st.binary(max_size=9).filter(lambda made: made != one.get(name)))
    hashes = []
    for files in (one, other):
        made = tmp_path_factory.mktemp("any")
        for file, content in files.items():
            if len(os.fsencode(file)) < 200:
                (made / file).write_bytes(content)
        hashes.append(folder_sha256(made))
    assert hashes[0] != hashes[1]


def test_a_link_that_leads_out_of_the_folder_is_refused(folder: Make, tmp_path: Path) -> None:
    made = folder("tea")
    (tmp_path / "secret.txt").write_text("secret")
    (made / "inside.md").symlink_to(made / "SKILL.md")
    assert files_of(made) == ("SKILL.md", "inside.md")
    for target in (tmp_path / "secret.txt", tmp_path, Path("/nowhere")):
        link = made / "outside.md"
        link.symlink_to(target)
        with pytest.raises(ManifestError, match="outside the skill's folder") as caught:
            folder_sha256(made)
        assert caught.value.file == str(link)
        link.unlink()


@pytest.mark.parametrize(
    ("limit", "value"), [("MAX_FILES", 2), ("MAX_FILE_BYTES", 50), ("MAX_FOLDER_BYTES", 120)]
)
def test_a_folder_that_holds_too_much_is_refused(
    folder: Make, monkeypatch: pytest.MonkeyPatch, limit: str, value: int
) -> None:
    made = folder("tea")
    for number in range(3):
        (made / f"{number}.md").write_text("x" * 40)
    monkeypatch.setattr(fingerprint, limit, value)
    with pytest.raises(ManifestError, match="a skill has at most"):
        folder_sha256(made)
