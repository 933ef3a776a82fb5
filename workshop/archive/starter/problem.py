"""What stops a start: a sentence for the person in front of the laptop."""


class Problem(Exception):  # noqa: N818  it is shown to people, who read no names of classes
    """The course cannot start here; its text says why, and what to do."""
