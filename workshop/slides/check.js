// What is wrong with the slides of an open deck, each in a sentence. `least` has the fewest pixels that
// a text may have, by selectors of where it stands: the first that fits counts.
(least) => {
  const BOXES = ".fill, .highlight > pre, .body > table, .body > table :is(td, th)";
  const problems = [];
  const drawn = (node) => node.parentElement.checkVisibility({ visibilityProperty: true });
  const texts = (root) => {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    const found = [];
    while (walker.nextNode())
      if (/[^\s\u200b]/.test(walker.currentNode.data) && drawn(walker.currentNode))
        found.push(walker.currentNode);
    return found;
  };
  const clipped = (element) =>
    element.closest(".katex-mathml, option, title, [aria-hidden=true] svg");
  for (const slide of Reveal.getSlides()) {
    const { h, v } = Reveal.getIndices(slide);
    Reveal.slide(h, v);
    const say = (what) => problems.push(`${slide.dataset.where}: ${what}`);
    const frame = slide.querySelector(".slide");
    const edges = frame.getBoundingClientRect();
    const boxes = [frame.querySelector(".body"), ...frame.querySelectorAll(BOXES)];
    for (const box of boxes) {
      const [over, wide] = [box.scrollHeight - box.clientHeight, box.scrollWidth - box.clientWidth];
      const name = box.className || box.tagName;
      if (box.clientHeight === 0 && box.childElementCount > 0)
        say(`there is no room for its ${name}`);
      else if (over > 1) say(`${name} is ${over} pixels too high`);
      else if (wide > 1) say(`${name} is ${wide} pixels too wide`);
    }
    for (const node of texts(frame)) {
      const element = node.parentElement;
      if (clipped(element)) continue;
      const range = document.createRange();
      range.selectNodeContents(node);
      const text = range.getBoundingClientRect();
      const words = node.data.trim().slice(0, 40);
      if (
        text.right > edges.right + 1 ||
        text.bottom > edges.bottom + 1 ||
        text.top < edges.top - 1
      )
        say(`“${words}” stands beyond the slide`);
      const size = parseFloat(getComputedStyle(element).fontSize) * zoomOf(element);
      const [where, floor] =
        Object.entries(least).find(([s]) => element.closest(`.slide :is(${s})`)) ?? [];
      if (floor && size < floor - 0.1)
        say(`“${words}” has ${size.toFixed(1)} pixels (${where}: ${floor})`);
    }
    for (const host of frame.querySelectorAll(".qb-widget-host"))
      if (!("drawn" in host.dataset)) say("a widget is not drawn");
  }
  return problems;
  function zoomOf(element) {
    return [...ancestors(element)].reduce((zoom, { style }) => zoom * (style?.zoom || 1), 1);
  }
  function* ancestors(element) {
    for (let at = element; at && !at.classList.contains("slide"); at = at.parentElement) yield at;
  }
};
