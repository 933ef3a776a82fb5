"""What would be cut off on paper: boxes that are wider than the page, or than what shows them."""

from __future__ import annotations

from playwright.sync_api import Page

# Of each line of boxes that reach too far, the innermost is named. What is clipped by its own box
# counts, even if that box is on the page. A picture scales, so what an svg holds is its own affair.
FIND = """() => {
  const room = document.documentElement.clientWidth;
  const range = document.createRange();
  const beyond = ({left, right, width}) => width > 0 && (right > room + 1 || left < -1);
  const has_words = (box) => [...box.childNodes].some((node) => node.nodeType === 3);
  const is_cut = (box) => {
    const clips = getComputedStyle(box).overflowX !== "visible" && box.clientWidth > 0;
    return clips && box.checkVisibility() && box.scrollWidth > box.clientWidth + 1;
  };
  const is_wide = (box) => {
    if (beyond(box.getBoundingClientRect())) return true;
    if (!has_words(box)) return false;
    range.selectNodeContents(box);
    return beyond(range.getBoundingClientRect());
  };
  const boxes = [...document.body.querySelectorAll("*:not(svg *, .katex *, option)")];
  const wide = boxes.filter((box) => is_wide(box) || is_cut(box));
  const inner = wide.filter((box) => !wide.some((other) => other !== box && box.contains(other)));
  return inner.map((box) => {
    const frame = box.closest("[data-pages]")?.dataset.pages ?? "the first pages";
    const words = box.textContent.trim().replace(/\\s+/g, " ").slice(0, 60);
    return `${frame}: <${box.localName} class="${box.className}"> is too wide: ${words}`;
  });
}"""


def too_wide(page: Page, width: int) -> list[str]:
    """Return a sentence for each box that does not fit on paper of this width, in CSS pixels."""
    page.set_viewport_size({"width": width, "height": 1000})
    found: list[str] = page.evaluate(FIND)
    return found
