"""How the package is made: hooks, persona, skills, names, files, imports."""

from __future__ import annotations

from cloche import checks
from cloche.checks import Finding
from cloche.testing.assistants.base import AssistantCases, none_of


class PackageCases(AssistantCases):
    """Everything that shows without talking to the assistant."""

    def test_it_is_found_by_its_entry_point(self) -> None:
        """One entry point in ``cloche.assistants`` names the package, and it is used."""
        name = self.found().name
        (row,) = [row for row in self.host().rows if (row.kind, row.name) == ("assistant", name)]
        assert row.status == "ok", f"{row.reason} {row.remedy}"

    def test_its_hooks_match_their_specs(self) -> None:
        """Every hook is known, takes nothing, and returns what its spec says."""
        none_of(Finding.of(fault) for fault in self.provided().faults)

    def test_its_persona_is_whole_and_not_too_long(self) -> None:
        """Identity, voice, what it does and safety are there, and short enough for every turn."""
        none_of(checks.persona_findings(self.spec().persona))

    def test_its_skills_are_whole(self) -> None:
        """Each skill has instructions or tools, and examples in every language of the host."""
        none_of(checks.skill_findings(self.spec().skills, self.package))

    def test_its_files_are_in_the_installed_package(self) -> None:
        """What the package reads at run time is installed with it."""
        none_of(checks.file_findings(self.package))

    def test_its_names_agree(self) -> None:
        """Entry point, package, folder and distribution carry one name."""
        found = self.found()
        none_of(checks.name_findings(found.name, found.module, found.distribution))

    def test_two_people_get_places_apart_that_tell_whose_they_are(self) -> None:
        """Namespaces are disjoint and parse back to scope and actor."""
        none_of(checks.namespace_findings(self.spec().namespaces))

    def test_its_memory_definition_is_within_the_limits(self) -> None:
        """AgentCore Memory would take the vocabulary and the namespaces."""
        spec = self.spec()
        none_of(checks.memory_findings(spec.name, spec.vocabulary, spec.namespaces))

    def test_its_labels_tell_values_apart(self) -> None:
        """What a page shows for keys and closed values says something, and something else each."""
        none_of(checks.label_findings(self.spec().vocabulary))

    def test_it_imports_nothing_private(self) -> None:
        """Of this project it imports ``cloche`` and ``cloche.testing`` only."""
        none_of(checks.import_findings(self.package))
