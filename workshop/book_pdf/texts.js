// Of what is drawn letter by letter, pictures and formulas, the order in a PDF is another.
() => {
  const pieces = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_ALL);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const parent = node.parentElement;
    if (node.localName === "pre") pieces.push(node.textContent);
    else if (
      node.nodeType === 3 &&
      !parent.closest("pre, svg, .katex, select, textarea, option") &&
      parent.checkVisibility({ visibilityProperty: true })
    )
      pieces.push(node.data);
  }
  return pieces;
};
