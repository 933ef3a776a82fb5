"""The table on the page of proofs, made from the record.

Each row says whether the code is still the one that was run in full. The build goes on when it is
not, or when a public function has no proof: the page says so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby

from sphinx.application import Sphinx

import qlearn
from proofs.collection import all_proofs
from proofs.proof import Proof
from proofs.record import Row, load, outdated, unproven
from site_builder.markdown import escaped, table

PAGE = "book/proofs"
QUICK = (
    "The first cases of the proofs, {fewest} to {most} of each, are compared with today's code by "
    "`make test`, which fails if one differs."
)


def parts(_: Sphinx | None = None) -> dict[str, str]:
    """Return what the proofs come to, by the name of its mark."""
    return {"table of proofs": proven(all_proofs(), load(), qlearn.__all__)}


def proven(proofs: Mapping[str, Proof], rows: Mapping[str, Row], names: list[str]) -> str:
    """Return what the full run is worth today, the table, and the runs."""
    since = {name: outdated(proof, rows.get(name)) for name, proof in proofs.items()}
    runs: dict[str, int] = {}
    for name in sorted(proofs.keys() & rows.keys()):
        runs.setdefault(str(rows[name].run), len(runs) + 1)
    where = [f"{number}. {run}" for run, number in runs.items()]
    missing = [f"**No proof yet** is about `{name}`." for name in unproven(dict(proofs), names)]
    found = [worth(proofs, since), *missing, by_function(proofs, rows, since, runs)]
    return "\n\n".join([*found, "The runs:", "\n".join(where)])


def worth(proofs: Mapping[str, Proof], since: Mapping[str, str]) -> str:
    """Return in sentences for how many proofs the full run was one of today's code."""
    stand = sum(not reason for reason in since.values())
    if stand == len(proofs):
        full = f"All {len(proofs)} proofs were run in full on today's code."
    else:
        full = (
            f"{stand} of {len(proofs)} proofs were run in full on today's code; for the others the "
            "last column says why their full run is not one of today's."
        )
    quick = [min(proof.quick, proof.cases) for proof in proofs.values()]
    return f"{full} {QUICK.format(fewest=min(quick), most=max(quick))}"


def by_function(
    proofs: Mapping[str, Proof],
    rows: Mapping[str, Row],
    since: Mapping[str, str],
    runs: Mapping[str, int],
) -> str:
    """Return the proofs as a Markdown table by function."""
    heads = ("function, and what it equals", "cases", "values", "largest difference", "run")
    lines: list[Sequence[str]] = []
    for of, group in groupby(sorted(proofs, key=lambda name: (proofs[name].of, name)), of_):
        lines.append((f"[**`{of}`**]{{#{anchor(of)}}}", "", "", "", ""))
        lines += [
            (f"{equals(proofs[name])}{caveat(since[name])}", *figures(rows.get(name), runs))
            for name in group
        ]
    return table(heads, lines, align="lrrrr", look="proofs")


def anchor(of: str) -> str:
    """Return the name of the place in the table where the proofs of a function begin."""
    return f"proofs-of-{of.lower().replace('_', '-')}"


def caveat(since: str) -> str:
    """Return what keeps a full run from speaking of today's proof, for the end of its line."""
    return f" – **{since}**" if since else ""


def of_(name: str) -> str:
    """Return which function a proof is of, by its name."""
    return name.partition(": ")[0]


def equals(proof: Proof) -> str:
    """Return the oracle, and what difference from it is allowed."""
    allowed = f"; {proof.tolerance:.0e} is allowed, for {proof.why}" if proof.tolerance else ""
    return escaped(proof.oracle) + allowed


def figures(row: Row | None, runs: Mapping[str, int]) -> Sequence[str]:
    """Return the four columns of what was found; dashes where nothing was run in full."""
    if row is None:
        return "––––"
    return f"{row.cases:,}", f"{row.values:,}", difference(row), str(runs[str(row.run)])


def difference(row: Row) -> str:
    """Return the largest difference; 0 means that every bit was equal."""
    return "0" if row.differing == 0 else f"{row.largest:.1e}"
