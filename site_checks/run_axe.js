// Without preload, because axe would fetch the style sheets again, which file:// forbids;
// without the drawn formulas, because they take a third of the time and are hidden behind their
// MathML; and of the words of code and of signatures, thousands on a page, one in each pair of
// colors. The others are plain text meanwhile: for each element, axe would look whether it is
// one of those to exclude.
async (rules) => {
  const seen = new Set();
  // In the page each change would be slow: Chromium updates the thousands of ranges that axe made.
  const elsewhere = document.implementation.createHTMLDocument();
  const shortened = [...document.querySelectorAll(".highlight pre, dt.sig")].map((code) => {
    const copy = elsewhere.importNode(code, true);
    const copied = [...copy.querySelectorAll("span")];
    code.querySelectorAll("span").forEach((word, place) => {
      const ink = getComputedStyle(word);
      const look = [ink.color, ink.opacity, ink.fontSize, ink.fontWeight];
      for (let paper = word; paper !== code.parentElement; paper = paper.parentElement)
        look.push(getComputedStyle(paper).backgroundColor);
      const colors = look.join(" on ");
      if (seen.has(colors) && !word.children.length) copied[place].replaceWith(word.textContent);
      seen.add(colors);
    });
    return [code, copy];
  });
  for (const [code, copy] of shortened) code.replaceWith(copy);
  const options = { resultTypes: ["violations"], preload: false, ...rules };
  const { violations } = await axe.run({ exclude: [".katex-html"] }, options);
  for (const [code, copy] of shortened) copy.replaceWith(code);
  return violations;
};
