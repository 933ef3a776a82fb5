"""Decks for the core pages, made from the built site: what is shown, and what is said.

A section's heading, pictures, formulas, code, tables and questions become slides. Its prose becomes
the speaker's notes, and of a paragraph only the sentence that says the point stands on the slide.

    python -m workshop.slides                  # all core pages, into _build/slides/
    python -m workshop.slides start/tonight    # one

``page.py`` reads a built page into sections of blocks, ``plan.py`` makes slides of them, ``fit.py``
chooses the size of the type and splits what is too much, and ``deck.py`` writes the files.
"""
