// What axe-core finds on a page: `runAxe` asks all rules, those that compare colors, or the others.
//
// Without preload, because axe would fetch the style sheets again, which file:// forbids; without
// the drawn formulas, because they take a third of the time and are hidden behind their MathML;
// without the rules that call nothing serious; and without comparing the colors of what looks like
// something that has passed before, on this page or on another.
globalThis.runAxe = (() => {
  const elsewhere = document.implementation.createHTMLDocument();
  const words = new Map(); // of code, as plain text
  let papers; // what has been found out about an element, until the page may have changed
  let inks;
  let painters;

  function remembered(memory, element, find) {
    if (!memory.has(element)) memory.set(element, find(element));
    return memory.get(element);
  }

  // What an element itself paints, or how it lets others shine through
  function paint(element) {
    const { backgroundColor, backgroundImage, opacity } = getComputedStyle(element);
    const own = `${backgroundColor} ${backgroundImage} ${opacity}`;
    return own === "rgba(0, 0, 0, 0) none 1" ? "" : `, ${own}`;
  }

  // What shows behind an element that lies over its ancestors alone
  function findPaper(element) {
    return (element.parentElement ? paper(element.parentElement) : "") + paint(element);
  }

  function findPainters(widget) {
    return [...widget.querySelectorAll("*")]
      .filter((one) => paint(one) || one.matches("svg, img, canvas"))
      .map((one) => ({ one, box: one.getBoundingClientRect() }));
  }

  // The parts of a widget may lie one over the other: what others paint where an element stands
  function aside(element) {
    const widget = element.closest(".qb-widget");
    const { left, right, top, bottom } = element.getBoundingClientRect();
    return remembered(painters, widget, findPainters)
      .filter(({ one }) => !one.contains(element) && !element.contains(one))
      .filter(({ box }) => box.left < right && box.right > left)
      .filter(({ box }) => box.top < bottom && box.bottom > top)
      .map(({ one }) => `${one.tagName} ${getComputedStyle(one).zIndex}${paint(one)}`);
  }

  function findInk(element) {
    const style = getComputedStyle(element);
    const { color, fontSize, fontWeight, textDecorationLine, textShadow } = style;
    const own = `${color} ${fontSize} ${fontWeight} ${textDecorationLine} ${textShadow}`;
    const near = element.closest(".qb-widget") ? ` near ${aside(element)}` : "";
    return `${element.tagName} ${own} on ${paper(element)}${near}`;
  }

  const paper = (element) => remembered(papers, element, findPaper);
  const ink = (element) => remembered(inks, element, findInk);

  function blockAround(element) {
    const parent = element.parentElement;
    return getComputedStyle(parent).display.startsWith("inline") ? blockAround(parent) : parent;
  }

  // A link has to be told from the text around it.
  function linkAndText(link) {
    const { borderBottom, borderTop, outline } = getComputedStyle(link);
    return `${ink(link)} ${borderBottom} ${borderTop} ${outline} in ${ink(blockAround(link))}`;
  }

  // axe asks nothing of punctuation, nor of a field that has no text.
  function texts() {
    const fields = "input:not([type=checkbox], [type=radio], [type=range]), select, textarea";
    const found = new Set(document.querySelectorAll(fields));
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const { data, parentElement } = walker.currentNode;
      if (/[^\s!-/:-@[-`{-~\u2000-\u206f]/.test(data)) found.add(parentElement);
    }
    return [...found];
  }

  // Nor of a link among links.
  function linksInText() {
    const length = (element) => element.textContent.replace(/\s/g, "").length;
    return [...document.querySelectorAll("a[href]")].filter((link) => {
      const block = blockAround(link);
      const links = [...block.querySelectorAll("a")].reduce((sum, one) => sum + length(one), 0);
      return length(block) > 2 * links;
    });
  }

  function isInSight(element) {
    if (element.closest(".katex")) return false;
    if (!element.checkVisibility({ visibilityProperty: true })) return false;
    const { right, bottom } = element.getBoundingClientRect();
    return right + scrollX > 0 && bottom + scrollY > 0;
  }

  // What each rule about colors is asked of, and all that its answer depends on
  const colors = {
    "color-contrast": { asked: texts, look: ink },
    "link-in-text-block": { asked: linksInText, look: linkAndText },
  };
  const colorRules = Object.keys(colors);
  const judged = {}; // the elements that axe had a look at, by rule
  for (const rule of axe._audit.rules.filter(({ id }) => colorRules.includes(id))) {
    const { id, matches } = rule;
    rule.selector = `[data-${id}]`;
    rule.matches = (element, ...others) => {
      const matching = matches(element, ...others);
      if (matching) judged[id].add(element);
      return matching;
    };
  }
  const mild = axe._audit.rules
    .filter((rule) => ["minor", "moderate"].includes(rule.impact))
    .map((rule) => rule.id);
  const disabled = (ids) => Object.fromEntries(ids.map((id) => [id, { enabled: false }]));
  const options = {
    all: { rules: disabled(mild) },
    colors: { runOnly: colorRules },
    rest: { rules: disabled([...mild, ...colorRules]) },
  };

  // For each look that is not known, the elements that look so, and the rule that has to judge it
  function newLooks(known) {
    papers = new Map();
    inks = new Map();
    painters = new Map();
    const found = new Map();
    for (const [rule, { asked, look }] of Object.entries(colors)) {
      for (const element of asked().filter(isInSight)) {
        const name = `${rule}: ${look(element)}`;
        if (known.has(name)) continue;
        if (!found.has(name)) found.set(name, { name, rule, elements: [] });
        found.get(name).elements.push(element);
      }
    }
    return [...found.values()];
  }

  // The words of code and of signatures are thousands on a page. In the page each change would be
  // slow: Chromium updates the thousands of ranges that axe made.
  function plainNodes(code) {
    const copy = elsewhere.importNode(code, true);
    for (const word of copy.querySelectorAll("span")) {
      if (!word.children.length) word.replaceWith(word.textContent);
    }
    copy.normalize();
    return [...copy.childNodes];
  }

  function plain(code) {
    const copy = elsewhere.importNode(code);
    copy.append(...remembered(words, code, plainNodes));
    return copy;
  }

  // Where nothing is asked of the words of code, it is plain text meanwhile.
  async function run(rules) {
    const asked = colorRules.map((rule) => `[data-${rule}]`).join();
    const codes = [...document.querySelectorAll(".highlight pre, dt.sig")];
    const idle = codes.filter((code) => !code.matches(asked) && !code.querySelector(asked));
    const copies = idle.map(plain);
    idle.forEach((code, place) => {
      code.replaceWith(copies[place]);
    });
    const found = await axe.run(
      { exclude: [".katex-html"] },
      {
        resultTypes: ["violations"],
        elementRef: true,
        selectors: false,
        preload: false,
        ...options[rules],
      },
    );
    copies.forEach((copy, place) => {
      copy.replaceWith(idle[place]);
    });
    return found;
  }

  // Ask some rules of the page, those about colors of these elements; note which looks have passed.
  async function judge(looks, rules, answer) {
    const mark = ({ rule, elements }) => {
      for (const element of elements) element.toggleAttribute(`data-${rule}`);
    };
    for (const rule of colorRules) judged[rule] = new Set();
    looks.forEach(mark);
    const { violations } = await run(rules);
    looks.forEach(mark);
    const bad = violations.flatMap(({ nodes }) => nodes.map(({ element }) => element));
    for (const { name, rule, elements } of looks) {
      const passed = elements.filter((one) => judged[rule].has(one));
      if (passed.length && !passed.some((one) => bad.includes(one))) answer.known.push(name);
    }
    answer.violations.push(...violations);
  }

  // axe passes over what it cannot see; then it is asked about all that look so.
  return async ({ rules, known }) => {
    const answer = { violations: [], known: [] };
    const looks = rules === "rest" ? [] : newLooks(new Set(known));
    if (rules !== "colors" || looks.length) {
      const first = looks.map((look) => ({ ...look, elements: look.elements.slice(0, 1) }));
      await judge(first, rules, answer);
    }
    const others = looks.filter(
      ({ name, elements }) => elements.length > 1 && !answer.known.includes(name),
    );
    if (others.length) await judge(others, "colors", answer);
    return answer;
  };
})();
