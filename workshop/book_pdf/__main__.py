"""Print the book: python -m workshop.book_pdf [PAGE ...]   (make pdf)."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from site_checks.browser import chromium
from site_checks.site import NoSiteError, built_site
from workshop.book_pdf.binding import bind
from workshop.book_pdf.document import write_document
from workshop.book_pdf.frame import AUTHOR
from workshop.book_pdf.parts import only, parts
from workshop.book_pdf.printing import WIDTHS_MM, PrintError, print_book
from workshop.book_pdf.reading import missing, read


def main() -> int:
    """Print all pages of the built site, or those that are named; return 0 if no text is lost."""
    parser = argparse.ArgumentParser(prog="python -m workshop.book_pdf", description=__doc__)
    parser.add_argument("pages", nargs="*", metavar="PAGE", help="such as book/intro (all pages)")
    parser.add_argument("--paper", type=str.lower, choices=WIDTHS_MM, default="a4")
    parser.add_argument("--to", type=Path, help="a file (quantization-bit-by-bit.pdf)")
    options = parser.parse_args()
    start, site = time.monotonic(), built_site()
    wanted = only(parts(), options.pages) if options.pages else parts()
    document = site.parent / "book_pdf" / "book.html"
    target = options.to or site.parent / "quantization-bit-by-bit.pdf"
    write_document(site, wanted, document, options.paper)
    print(f"The pages are one document after {time.monotonic() - start:.0f} s.", flush=True)
    with chromium() as browser:
        printed = print_book(browser, document, options.paper)
    count = bind(printed.pdf, printed.titles, AUTHOR, target)
    if lost := missing(printed.texts, read(target)):
        print(f"{len(lost)} pieces of text are not in {target}:", *lost[:20], sep="\n  ")
        return 1
    weight = target.stat().st_size / 1e6
    print(f"{target}: {count} pages, {weight:.1f} MB, {time.monotonic() - start:.0f} s")
    print(f"Read back: {len(printed.texts):,} pieces of text, none lost.")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (ValueError, PrintError, NoSiteError) as error:
        sys.exit(f"There is no PDF, because:\n{error}")
