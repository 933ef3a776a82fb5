"""Exercises in code: the reader writes a function, and ``check`` says in a sentence how it is.

Each exercise is an :class:`Exercise`: what is asked, a function that is right, cases to try, and
known mistakes, each a wrong function with the sentence that it gets. Nothing here holds a text
that a reader could copy as a solution.
"""

from qlearn.course.exercises.check import check

__all__ = ["check"]
