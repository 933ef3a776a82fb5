"""What only the book needs: numbers to try things on, and ways to print them."""

from qlearn.course.normal import normal
from qlearn.course.steady import steady

__all__ = ["normal", "steady"]
