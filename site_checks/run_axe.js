// What axe-core finds on a page, by the rules that compare colors or by all others.
//
// Without preload, because axe would fetch the style sheets again, which file:// forbids; without
// the drawn formulas, because they take a third of the time and are hidden behind their MathML; and
// where colors are compared, without the paragraphs that look like others before them.
(() => {
  const elsewhere = document.implementation.createHTMLDocument();
  let papers; // what has been found out about an element, until the page may have changed
  let seen;

  // What shows behind an element: those of its ancestors that paint, or let others shine through.
  function paper(element) {
    if (!element) return "";
    if (!papers.has(element)) {
      const { backgroundColor, backgroundImage, opacity } = getComputedStyle(element);
      const own = `${backgroundColor} ${backgroundImage} ${opacity}`;
      const behind = paper(element.parentElement);
      papers.set(element, own === "rgba(0, 0, 0, 0) none 1" ? behind : `${behind}, ${own}`);
    }
    return papers.get(element);
  }

  function ink(element) {
    const { color, fontSize, fontWeight, textDecorationLine } = getComputedStyle(element);
    return `${color} ${fontSize} ${fontWeight} ${textDecorationLine} on ${paper(element)}`;
  }

  // axe asks whether a link is told from the words around it, where these are more than the links.
  function wordsIn(paragraph) {
    const length = (element) => element.textContent.trim().length;
    const links = [...paragraph.querySelectorAll("a")].reduce((sum, one) => sum + length(one), 0);
    if (length(paragraph) === links) return "no words";
    return length(paragraph) > 2 * links ? "words" : "few words";
  }

  // axe passes over what cannot be seen.
  function isInSight(element) {
    const { right, bottom } = element.getBoundingClientRect();
    return element.checkVisibility({ visibilityProperty: true }) && right > 0 && bottom > 0;
  }

  // Has axe been asked about elements that look like these?
  function areKnown(elements, words) {
    if (words === "few words") return false;
    const looks = elements
      .filter(isInSight)
      .map((one) => `${one.tagName} ${ink(one)} in ${ink(one.parentElement)} with ${words}`);
    const known = looks.every((look) => seen.has(look));
    for (const look of looks) seen.add(look);
    return known;
  }

  // The words of code and of signatures are thousands on a page; those that nothing is asked of are
  // plain text meanwhile. In the page each change would be slow: Chromium updates the thousands of
  // ranges that axe made.
  function shortened(code, ofColors) {
    const copy = elsewhere.importNode(code, true);
    const copied = [...copy.querySelectorAll("span")];
    code.querySelectorAll("span").forEach((word, place) => {
      const idle = !ofColors || areKnown([word], "code");
      if (idle && !word.children.length) copied[place].replaceWith(word.textContent);
    });
    return copy;
  }

  function repeatedParagraphs() {
    const names = "p, li, td, th, dt, dd, pre, figcaption, h1, h2, h3, h4";
    return [...document.querySelectorAll(names)].filter(
      (one) =>
        !one.querySelector(names) &&
        !one.closest(".qb-widget") &&
        areKnown([one, ...one.querySelectorAll("*")], wordsIn(one)),
    );
  }

  async function violations(options) {
    const all = { resultTypes: ["violations"], preload: false, selectors: false, ...options };
    return (await axe.run({ exclude: [".katex-html"] }, all)).violations;
  }

  return async ({ ofColors, options }) => {
    papers = new Map();
    seen = new Set();
    const codes = [...document.querySelectorAll(".highlight pre, dt.sig")];
    const copies = codes.map((code) => shortened(code, ofColors));
    codes.forEach((code, place) => {
      code.replaceWith(copies[place]);
    });
    const hidden = ofColors ? repeatedParagraphs() : [];
    const styles = hidden.map((one) => one.style.visibility);
    for (const one of hidden) one.style.visibility = "hidden";
    const found = await violations(options);
    hidden.forEach((one, place) => {
      one.style.visibility = styles[place];
    });
    copies.forEach((copy, place) => {
      copy.replaceWith(codes[place]);
    });
    return found;
  };
})();
