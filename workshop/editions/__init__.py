"""Two editions of the course beside the site: one with every answer, and one without the solutions.

    python -m workshop.editions.answer_key     # for the instructor, into _build/answer_key/
    python -m workshop.editions.students       # for the room, into _build/students/

Neither holds an answer that was typed for it: the key is read from the built pages, and what the
students' notebooks lose is found by the marks of the exercises.
"""
