"""The mark of a cell that compares qlearn with torch or torchao, bit for bit.

Such a cell is folded, holds asserts, and names in its metadata what it is about:
``"equals": ["quantize", "dequantize"]``. Above the fold comes a mark with the number of random
cases in which the proofs of these functions found no difference, and it leads to the proofs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from docutils import nodes
from sphinx.application import Sphinx

from proofs.collection import all_proofs
from proofs.proof import Proof
from proofs.record import Row, load
from site_builder.proofs_page import PAGE, anchor

KEY = "equals"
BOTH, OTHER = ("torch", "torchao"), "an independent program"
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

    Where some equal torch's and some torchao's, each has its number. Of a proof
    that was not run in full yet, those cases count that `make test` compares.

    Raises:
        ValueError: a function has no proof, or its proof found a difference.
    """
    cases: Counter[str] = Counter()
    for name in names:
        all_of = [proof for proof in proofs if proofs[proof].of == name]
        about = [proof for proof in all_of if whose(proofs[proof].oracle) in BOTH] or all_of
        if not about:
            raise ValueError(f"a cell says that it checks {name!r}, of which there is no proof")
        if any(proof in rows and rows[proof].differing for proof in about):
            raise ValueError(
                f"a cell marks {name!r} as equal, and its proofs found bits that differ: print "
                "the comparison instead"
            )
        for one in about:
            compared = rows[one].cases if one in rows else proofs[one].quick
            cases[whose(proofs[one].oracle)] += compared
    if not cases.keys() <= set(BOTH):
        return f"= {OTHER} in {cases.total():,} cases"
    numbers = " and ".join(f"{whom} in {cases[whom]:,}" for whom in BOTH if cases[whom])
    return f"= {numbers} cases"


def whose(oracle: str) -> str:
    """Return whose code an oracle is: torchao's, torch's with FBGEMM's kernels, or another's.

    >>> whose("torchao's SmoothQuantObserver"), whose("torch.quantize_per_tensor to qint32")
    ('torchao', 'torch')
    """
    if "torchao" in oracle:
        return "torchao"
    named = ("torch", "fbgemm", "prepare_fx", "propagate_qconfig_")
    return "torch" if any(name in oracle for name in named) else OTHER
