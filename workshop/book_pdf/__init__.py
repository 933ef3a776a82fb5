"""The book as one PDF: ``python -m workshop.book_pdf``   (make pdf).

It is joined from the pages of the built site, so the PDF says what the site says: formulas and
pictures are drawn there already. `articles` takes the pages, `paper` opens what the screen folds,
`solutions` moves the answers to the end, `document` joins all, and `printing` has Chromium print it
twice: the first print says on which page each thing lies, and the second shows these numbers.
"""
