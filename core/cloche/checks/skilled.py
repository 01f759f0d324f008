"""Skills: what they bring is there, and their examples are understood."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from cloche.checks.finding import Finding
from cloche.documents import shared_resource
from cloche.errors import ToolError
from cloche.skills import Skill, SkillsManifest
from cloche.texts import languages
from cloche.tools import Tool
from cloche.tools.arguments import parse_arguments
from cloche.utterances import Example, misunderstood, trials


def skill_findings(manifest: SkillsManifest, package: str) -> Iterator[Finding]:
    """Every skill that is ready can be read, used and tried.

    Args:
        manifest: The skills of one package.
        package: That package; skills come from inside it or are shared ones.
    """
    ready = [skill for skill in manifest.skills if not skill.unavailable]
    for skill in ready:
        where = f"skill {skill.name}"
        if not skill.body.strip() and not skill.tools:
            yield Finding(
                "error", where, "It has neither instructions nor tools.", "Write its SKILL.md."
            )
        yield from _file_findings(skill, where, package)
        yield from _example_findings(skill, where)
    # Examples of all skills together: a sentence must not be taken for another skill's.
    examples = [example for skill in ready for example in skill.examples]
    if all(_complete(example) for example in examples):
        for told in misunderstood(examples):
            yield Finding("error", "examples.yaml", f"{told}.", "Tell the templates further apart.")


def _file_findings(skill: Skill, where: str, package: str) -> Iterator[Finding]:
    if not skill.source or skill.sha256:
        return  # made by code, or held to a hash wherever it comes from
    source = Path(skill.source).resolve()
    roots = [_folder(files(package)), _folder(shared_resource("skills"))]
    if not any(root and source.is_relative_to(root) for root in roots):
        yield Finding(
            "error",
            where,
            f"Its folder {source} is not inside the installed package.",
            f"Move it into {package}/skills/.",
        )
    elif not (source / "SKILL.md").is_file():
        yield Finding("error", where, f"{source} has no SKILL.md.", "Ship it with the package.")


def _example_findings(skill: Skill, where: str) -> Iterator[Finding]:
    tools = {tool.name: tool for tool in skill.tools}
    for example in skill.examples:
        tool = tools.get(example.tool)
        if tool is None:
            yield Finding(
                "error", where, f"An example names a tool {example.tool!r}.", "It has no such tool."
            )
        elif not _complete(example):
            yield Finding(
                "error", where, f"An example of {tool.name} lacks a slot's value.", "Add it."
            )
        else:
            yield from _argument_findings(tool, example, where)
    for name in (name for name, tool in tools.items() if not tool.when_due):
        own = [example for example in skill.examples if example.tool == name]
        said = {language for example in own for language, texts in example.say.items() if texts}
        missing = sorted(set(languages()) - said)
        if missing:
            yield Finding(
                "warning",
                where,
                f"Tool {name} has no example in: {', '.join(missing)}.",
                "Add templates to examples.yaml: without a real model they are how it is reached.",
            )


def _argument_findings(tool: Tool, example: Example, where: str) -> Iterator[Finding]:
    for trial in trials(example):
        try:
            parse_arguments(tool.arguments, trial.expected.arguments)
        except ToolError as error:
            yield Finding(
                "error",
                where,
                f"The example {trial.text!r} does not fit {tool.name}: {error}",
                "Mend its arguments or the tool's parameters.",
            )
            return


def _complete(example: Example) -> bool:
    """True when every slot of its templates has a value to try it with."""
    try:
        list(trials(example))
    except KeyError:
        return False
    return True


def _folder(resource: Traversable) -> Path | None:
    return resource.resolve() if isinstance(resource, Path) else None
