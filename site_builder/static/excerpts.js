// Sphinx reads every page that it has found before it says how many there are: twelve megabytes, and on
// a telephone a quarter of a minute. Here a page is read when the reader comes to its line in the
// list. An excerpt is of the prose of a page alone, and begins a little before the rarest of the words.
// biome-ignore-all lint/correctness/noUndeclaredVariables: Sphinx's scripts declare them
(() => {
  const LETTERS = 240;
  const LETTERS_BEFORE = 120;
  const READ = "999999px 0px 50% 0px"; // all above the window, and half a window more below it
  const NO_PROSE = "h1, .page-head, .headerlink, [role=tooltip], summary, noscript, script, style";
  const DRAWN = "svg, annotation, [aria-hidden=true]"; // a formula stands there three times
  const stemmer = new Stemmer();
  const { query } = Search;

  DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false; // this does it in Sphinx's place
  if (location.protocol === "file:") return; // a script may not read pages there

  Search.query = (asked) => {
    const [, stems, , words] = Search._parseQuery(asked);
    // Sphinx says how many pages there are when it has listed all of them.
    new MutationObserver(async () => {
      for (const line of Search.output.children) {
        await reached(line);
        await quote(line, byRarity(stems), words);
      }
    }).observe(Search.status, { childList: true });
    query(asked);
  };

  /** When the reader has come to a line, or nearly. */
  const reached = (line) =>
    new Promise((resolve) => {
      const near = new IntersectionObserver(
        ([{ isIntersecting }]) => {
          if (!isIntersecting) return;
          near.disconnect();
          resolve();
        },
        { rootMargin: READ },
      );
      near.observe(line);
    });

  /** Puts an excerpt below the name of a page; that of a function has a description there. */
  async function quote(line, stems, words) {
    const [link, description] = line.children;
    if (description) return;
    const page = await fetch(link.href);
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

  Search.htmlToText = (html, anchor) => {
    const page = new DOMParser().parseFromString(html, "text/html");
    for (const part of page.querySelectorAll(`${NO_PROSE}, ${DRAWN}`)) part.remove();
    const text =
      (anchor && page.querySelector(`article ${anchor}`)) || page.querySelector("article");
    return text.textContent.replace(/\s+/g, " ").trim();
  };

  const byRarity = (stems) =>
    Array.from(stems, (stem) => [
      stem,
      Search.performTermsSearch(new Set([stem]), new Set()).length,
    ])
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
