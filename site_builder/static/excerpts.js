// Sphinx fetches and parses every page that it lists, twelve megabytes, which on a telephone takes a
// quarter of a minute. Here a page is read when its line in the list comes near the window. An
// excerpt is of the text of a page, and begins a little before the rarest of the words.
// biome-ignore-all lint/correctness/noUndeclaredVariables: Sphinx's scripts declare them
(() => {
  const LETTERS = 240;
  const LETTERS_BEFORE = 120;
  const NEAR = { rootMargin: "50%" }; // half a window more on each side
  const NO_TEXT = "h1, .page-head, .headerlink, [role=tooltip], summary, noscript, script, style";
  const DRAWN = "svg, annotation, [aria-hidden=true]"; // a formula stands there three times
  const QUESTION = ".qb-question"; // with its answers, and with what is told after an answer
  const stemmer = new Stemmer();
  const { query } = Search;

  DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false; // this does it in Sphinx's place
  if (location.protocol === "file:") return; // a script may not read pages there

  Search.query = (asked) => {
    const [, stems, , words] = Search._parseQuery(asked);
    const rarest = byRarity(stems);
    const near = new IntersectionObserver((seen) => {
      for (const { target, isIntersecting } of seen) {
        if (!isIntersecting) continue;
        near.unobserve(target);
        quote(target, rarest, words);
      }
    }, NEAR);
    const listed = new MutationObserver((changes) => {
      for (const { addedNodes } of changes)
        for (const line of addedNodes) if (!isDescribed(line)) near.observe(line);
    });
    Search.output.classList.add("with-excerpts");
    listed.observe(Search.output, { childList: true });
    query(asked);
  };

  /** Whether it is the line of a function, which says what that is. */
  const isDescribed = (line) => line.children.length > 1;

  /** Puts an excerpt below the name of a page, if the page can be read. */
  async function quote(line, stems, words) {
    const link = line.querySelector("a");
    const page = await fetch(link.href).catch(() => null);
    if (!page?.ok) return;
    const text = Search.htmlToText(await page.text(), link.hash);
    const excerpt = document.createElement("p");
    excerpt.className = "context";
    excerpt.textContent = around(placeIn(text, stems), text);
    line.append(excerpt);
    for (const word of words) _highlightText(excerpt, word, "highlighted");
  }

  /** Whole words around a place of a text. */
  function around(place, text) {
    const from = place > LETTERS_BEFORE ? text.lastIndexOf(" ", place - LETTERS_BEFORE) + 1 : 0;
    const to = text.indexOf(" ", from + LETTERS);
    const words = to < 0 ? text.slice(from) : `${text.slice(from, to)}...`;
    return from ? `...${words}` : words;
  }

  /** The text of a page, or of the part of it that has an anchor; of a term, what it means. */
  Search.htmlToText = (html, anchor = "") => {
    const page = new DOMParser().parseFromString(html, "text/html");
    for (const part of page.querySelectorAll(`${NO_TEXT}, ${DRAWN}, ${QUESTION}`)) part.remove();
    const linked = page.getElementById(decodeURIComponent(anchor).slice(1));
    const part = linked?.matches("dt") ? linked.nextElementSibling : linked;
    const article = page.querySelector("article");
    const text = article?.contains(part) ? part : article;
    return (text?.textContent ?? "").replace(/\s+/g, " ").trim();
  };

  const byRarity = (stems) =>
    Array.from(stems, (stem) => [stem, Search.pagesWith(stem).length])
      .filter(([, count]) => count)
      .sort((a, b) => a[1] - b[1])
      .map(([stem]) => stem);

  /** Where a text first has one of these stems: the first of them that it has. */
  const placeIn = (text, stems) =>
    stems.map((stem) => placeOf(stem, text)).find((place) => place >= 0) ?? 0;

  /** Where a text first has a word of this stem, or else the stem as a part of a word. */
  function placeOf(stem, text) {
    const words = text.matchAll(/[\p{Letter}\p{Number}_]+/gu);
    for (const { 0: word, index } of words)
      if (stemmer.stemWord(word.toLowerCase()) === stem) return index;
    return text.toLowerCase().indexOf(stem);
  }
})();
