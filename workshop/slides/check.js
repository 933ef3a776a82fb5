// What is wrong with the slides of an open deck, each in a sentence. `least` has the fewest pixels that
// a text may have, by selectors of where it stands: the first that fits counts.
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a browser evaluates one expression, so this function is the module
(least) => {
  const BOXES =
    ".fill, .fill :is(pre, .qb-grid label), .highlight > pre, .body > table, .body > table :is(td, th)";
  const BETWEEN = 12; // pixels on the stage, from the text of a cell to that of the next
  return Reveal.getSlides().flatMap(problems);

  function problems(slide) {
    const { h, v } = Reveal.getIndices(slide);
    Reveal.slide(h, v);
    const frame = slide.querySelector(".slide");
    const found = [
      ...[frame.querySelector(".body"), ...frame.querySelectorAll(BOXES)].flatMap(overfull),
      ...[...frame.querySelectorAll(".body > table tr")].flatMap((row) => crowded(row, frame)),
      ...texts(frame).flatMap((node) => unreadable(node, frame.getBoundingClientRect())),
      ...[...frame.querySelectorAll(".qb-widget-host")]
        .filter((host) => !("drawn" in host.dataset))
        .map(() => "a widget is not drawn"),
    ];
    return found.map((what) => `${slide.dataset.where}: ${what}`);
  }

  function overfull(box) {
    const [over, wide] = [box.scrollHeight - box.clientHeight, box.scrollWidth - box.clientWidth];
    const name = box.className || box.tagName;
    if (box.clientHeight === 0 && box.childElementCount > 0)
      return [`there is no room for its ${name}`];
    if (over > 1) return [`${name} is ${over} pixels too high`];
    return wide > 1 ? [`${name} is ${wide} pixels too wide`] : [];
  }

  /** The neighbours in a row of a table whose texts a reader takes for one. */
  function crowded(row, frame) {
    const scale = frame.getBoundingClientRect().width / frame.offsetWidth;
    const cells = [...row.cells].filter((cell) => texts(cell).length > 0);
    return cells.slice(1).flatMap((cell, at) => {
      const between =
        (Math.min(...lines(cell).map(({ left }) => left)) -
          Math.max(...lines(cells[at]).map(({ right }) => right))) /
        scale;
      return between >= BETWEEN
        ? []
        : [`“${start(cells[at])}” and “${start(cell)}” are ${between.toFixed(1)} pixels apart`];
    });
  }

  function start({ textContent }) {
    return textContent.trim().slice(0, 40);
  }

  function lines(element) {
    return texts(element).flatMap((node) => [...rangeOf(node).getClientRects()]);
  }

  function rangeOf(node) {
    const range = document.createRange();
    range.selectNodeContents(node);
    return range;
  }

  /** The texts that are drawn, and not for a screen reader alone. */
  function texts(root) {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    const found = [];
    while (walker.nextNode())
      if (/[^\s\u200b]/.test(walker.currentNode.data)) found.push(walker.currentNode);
    return found.filter(
      ({ parentElement: element }) =>
        element.checkVisibility({ visibilityProperty: true }) &&
        !element.closest(".katex-mathml, option, title, [aria-hidden=true] svg"),
    );
  }

  function unreadable(node, edges) {
    const element = node.parentElement;
    const text = rangeOf(node).getBoundingClientRect();
    const words = node.data.trim().slice(0, 40);
    const found = [];
    if (text.right > edges.right + 1 || text.bottom > edges.bottom + 1 || text.top < edges.top - 1)
      found.push(`“${words}” stands beyond the slide`);
    const size = parseFloat(getComputedStyle(element).fontSize) * zoomOf(element);
    const [where, floor] =
      Object.entries(least).find(([s]) => element.closest(`.slide :is(${s})`)) ?? [];
    if (floor && size < floor - 0.1)
      found.push(`“${words}” has ${size.toFixed(1)} pixels (${where}: ${floor})`);
    return found;
  }

  function zoomOf(element) {
    return [...ancestors(element)].reduce((zoom, { style }) => zoom * (style?.zoom || 1), 1);
  }

  function* ancestors(element) {
    for (let at = element; at && !at.classList.contains("slide"); at = at.parentElement) yield at;
  }
};
