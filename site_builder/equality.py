"""The mark of a cell that compares qlearn with torch, bit for bit.

Such a cell is folded, holds asserts, and names in its metadata what it is about:
``"equals": ["quantize", "dequantize"]``. Above the fold comes a mark with the number of random
cases in which the proofs of these functions found no difference, and it leads to the proofs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from docutils import nodes
from sphinx.application import Sphinx

from proofs.collection import all_proofs
from proofs.proof import Proof
from proofs.record import Row, load
from site_builder.proofs_page import PAGE, anchor

KEY = "equals"
FOLD = {"prompt_show": "Show the check", "prompt_hide": "Hide the check"}


def setup(app: Sphinx) -> None:
    """Have each page's marks set when Sphinx has read it."""
    app.connect("doctree-read", set_marks)


def set_marks(app: Sphinx, doctree: nodes.document) -> None:
    """Put a mark above each cell that names functions it compares."""
    cells = [c for c in doctree.findall(nodes.container) if c.get("cell_metadata", {}).get(KEY)]
    if not cells:
        return
    page = app.builder.get_relative_uri(app.env.docname, PAGE)
    proofs, rows = all_proofs(), load()
    for cell in cells:
        names = cell["cell_metadata"][KEY]
        cell.attributes.update(FOLD)
        cell["classes"].append("equality-check")
        link = nodes.reference("", says(names, proofs, rows))
        link["refuri"] = f"{page}#{anchor(names[0])}"
        mark = nodes.paragraph("", "", link, classes=["equality"])
        cell.parent.insert(cell.parent.index(cell), mark)


def says(names: Sequence[str], proofs: Mapping[str, Proof], rows: Mapping[str, Row]) -> str:
    """Return the words of a mark: in how many cases the functions equal their oracles.

    Of a proof that was not run in full yet, those cases count that `make test` compares.

    Raises:
        ValueError: a function has no proof, or its proof found a difference.
    """
    cases, oracles = 0, []
    for name in names:
        all_of = [proof for proof in proofs if proofs[proof].of == name]
        about = [proof for proof in all_of if is_of_torch(proofs[proof].oracle)] or all_of
        if not about:
            raise ValueError(f"a cell says that it checks {name!r}, of which there is no proof")
        if any(proof in rows and rows[proof].differing for proof in about):
            raise ValueError(
                f"a cell marks {name!r} as equal, and its proofs found bits that differ: print "
                "the comparison instead"
            )
        cases += sum(rows[one].cases if one in rows else proofs[one].quick for one in about)
        oracles += [proofs[proof].oracle for proof in about]
    whom = "torch" if all(map(is_of_torch, oracles)) else "an independent program"
    return f"= {whom} in {cases:,} cases"


def is_of_torch(oracle: str) -> bool:
    """Return whether an oracle is torch's own code, FBGEMM's kernels among it."""
    named = ("torch", "fbgemm", "prepare_fx", "propagate_qconfig_")
    return any(name in oracle for name in named)
