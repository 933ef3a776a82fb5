"""How fast quantized models run here: measured, and kept in the course's record.

``python -m measure`` (or ``make measure``) measures and adds this machine's column to
``qlearn/course/measured.json``. Columns of other machines stay. ``qlearn.course.measured`` reads
the record for the book.
"""
