"""What the doctor says, in words for people and as JSON for scripts."""

from __future__ import annotations

import json
from dataclasses import asdict

from qlearn.doctor import judge_machine, judge_software
from qlearn.doctor.facts import Facts
from qlearn.doctor.finding import NO, Finding


def judge(facts: Facts) -> list[Finding]:
    """Return all findings about the facts, in the order in which they are to be mended."""
    findings = [
        judge_software.judge_python(facts),
        *judge_machine.judge_folders(facts),
        judge_machine.judge_disk(facts),
        judge_machine.judge_memory(facts),
        judge_software.judge_venv(facts),
        judge_software.judge_torch(facts),
        judge_software.judge_torchao(facts),
        judge_software.judge_packages(facts),
        judge_machine.judge_engines(facts),
        judge_machine.judge_processor(facts),
        judge_machine.judge_threads(facts),
        judge_software.judge_kernel(facts),
        judge_machine.judge_browser(facts),
    ]
    return [finding for finding in findings if finding is not None]


def in_words(findings: list[Finding]) -> str:
    """Return a line for each finding, what to do below each "no", and the verdict.

    >>> print(in_words([Finding("disk", "yes", "9.0 GiB are free.")]))
    yes   disk          9.0 GiB are free.
    <BLANKLINE>
    This machine can run the course.
    """
    lines = []
    for finding in findings:
        lines.append(f"{finding.verdict:5} {finding.topic:13} {finding.says}")
        if finding.do:
            lines.append(f"{'':19} -> {finding.do}")
    failing = [finding for finding in findings if finding.verdict == NO]
    if failing:
        topics = ", ".join(finding.topic for finding in failing)
        lines += ["", f"Something of the course will fail here: see {topics}.",
                  f"Begin with {failing[0].topic}: {failing[0].do}"]  # fmt: skip
    else:
        lines += ["", "This machine can run the course."]
    return "\n".join(lines)


def as_json(findings: list[Finding], facts: Facts) -> str:
    """Return the verdict, the findings and the facts as JSON."""
    everything = {
        "can_run": can_run(findings),
        "findings": [asdict(finding) for finding in findings],
        "facts": asdict(facts),
    }
    return json.dumps(everything, indent=2)


def can_run(findings: list[Finding]) -> bool:
    """Tell whether nothing will fail."""
    return all(finding.verdict != NO for finding in findings)
