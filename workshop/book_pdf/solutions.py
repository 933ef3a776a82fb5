"""The solutions of a chapter: they move from below each question to the end of the book.

On the screen they are folded. On paper an answer one line below its question would be read first.
"""

from __future__ import annotations

from collections.abc import Iterator

from bs4 import Tag

from workshop.book_pdf.articles import Chapter
from workshop.book_pdf.paper import element

WHERE = "qb-solution-link"


def move_solutions(chapter: Chapter) -> Tag | None:
    """Take the solutions out of a chapter, with links there and back; None if it has none."""
    section = element("section", class_="qb-solutions", id=f"solutions-{chapter.name}")
    heading = element("h2")
    heading.append(element("a", chapter.title, href=f"#{chapter.name}"))
    section.append(heading)
    section.extend([*answers(chapter), *worked(chapter)])
    return section if len(section.contents) > 1 else None


def answers(chapter: Chapter) -> Iterator[Tag]:
    """Number the questions of a chapter, and yield the answer to each."""
    for number, question in enumerate(chapter.article.select(".qb-question"), start=1):
        name = f"{chapter.name}--question-{number}"
        question["id"] = name
        legend, fold = question.find("legend"), question.select_one("details.qb-locked")
        if not isinstance(legend, Tag) or fold is None:
            raise ValueError(f"question {number} of {chapter.page} has no legend, or no solution")
        line = element("span", f"Question {number}", class_="qb-number")
        line.append(there(name))
        legend.insert(0, line)
        fold.extract()
        answer = element("div", class_="qb-answer", id=f"{name}--solution")
        answer.append(back(f"Question {number}", name))
        for part in fold.find_all(True, recursive=False):
            if part.name != "summary":
                answer.append(part)
        yield answer


def worked(chapter: Chapter) -> Iterator[Tag]:
    """Yield the solutions of a chapter's exercises."""
    for solution in chapter.article.select("div.solution"):
        title = solution.select_one(".admonition-title")
        link = title.find("a", href=True) if title else None
        if title is None or not isinstance(link, Tag):
            raise ValueError(f"a solution of {chapter.page} names no exercise")
        exercise = chapter.article.find(id=str(link["href"])[1:])
        if not isinstance(exercise, Tag):
            raise ValueError(f"{link['href']} is no exercise of {chapter.page}")
        name = str(exercise["id"])
        exercise_title = exercise.select_one(".admonition-title")
        (exercise_title or exercise).append(there(name))
        title.replace_with(back(link.get_text(strip=True), name))
        solution.extract()
        solution["class"] = "qb-answer"
        solution["id"] = f"{name}--solution"
        yield solution


def there(name: str) -> Tag:
    """Return the link from a question to its solution."""
    return element("a", "solution", class_=WHERE, href=f"#{name}--solution")


def back(text: str, name: str) -> Tag:
    """Return the opening line of a solution, which leads to its question."""
    line = element("p", class_="qb-answer-title")
    line.append(element("a", text, class_=WHERE, href=f"#{name}"))
    return line
