// Of each line of boxes that reach too far, the innermost is named. What is clipped by its own
// box counts, even if that box is on the page. A picture scales, so what an svg holds is its own
// affair.
() => {
  const room = document.documentElement.clientWidth;
  const range = document.createRange();
  const beyond = ({ left, right, width }) => width > 0 && (right > room + 1 || left < -1);
  const hasWords = (box) => [...box.childNodes].some((node) => node.nodeType === 3);
  const isCut = (box) => {
    const clips = getComputedStyle(box).overflowX !== "visible" && box.clientWidth > 0;
    return clips && box.checkVisibility() && box.scrollWidth > box.clientWidth + 1;
  };
  const isWide = (box) => {
    if (beyond(box.getBoundingClientRect())) return true;
    if (!hasWords(box)) return false;
    range.selectNodeContents(box);
    return beyond(range.getBoundingClientRect());
  };
  const boxes = [...document.body.querySelectorAll("*:not(svg *, .katex *, option)")];
  const wide = boxes.filter((box) => isWide(box) || isCut(box));
  const inner = wide.filter((box) => !wide.some((other) => other !== box && box.contains(other)));
  return inner.map((box) => {
    const frame = box.closest("[data-pages]")?.dataset.pages ?? "the first pages";
    const words = box.textContent.trim().replace(/\s+/g, " ").slice(0, 60);
    return `${frame}: <${box.localName} class="${box.className}"> is too wide: ${words}`;
  });
};
