// Sphinx's search shows the pages that have all words of a query, and orders them by the best word of
// each: here all words count, the rare ones more. No page has all words of most messages that people
// paste: then this shows the pages that come closest.
// biome-ignore-all lint/correctness/noUndeclaredVariables: Sphinx's scripts declare them
(() => {
  const MOST_PAGES = 5;
  const SYMPTOMS = "book/reference/symptoms";
  // What Sphinx says above the pages it shows; it looks for a translation first.
  const FOUND = `Search finished, found \${resultCount} page(s) matching the search query.`;
  const CLOSEST = "No page has all these words. These come closest:";
  const { _performSearch, performTermsSearch, setIndex } = Search;

  // A letter alone says nothing, like a number. Sphinx would mark the t of "didn't" in every word.
  stopwords.push(..."abcdefghijklmnopqrstuvwxyz");
  Search.status?.setAttribute("role", "status");

  // Each object has a "constructor", which Sphinx would take for the pages that have this word.
  Search.setIndex = (index) => {
    for (const words of [index.terms, index.titleterms])
      if (!Object.hasOwn(words, "constructor")) words.constructor = [];
    setIndex(index);
  };

  Search._performSearch = (query, stems, ...rest) => {
    const withAll = _performSearch(query, stems, ...rest);
    if (withAll.length) return withAll.map(askAgain(query));
    const results = closest(stems).map(askAgain(query));
    if (results.length) Documentation.TRANSLATIONS[FOUND] = CLOSEST;
    else pointAtSymptoms(query);
    return results;
  };

  /** Sphinx's results for a word alone: the pages that have it, with more points in a heading. */
  Search.pagesWith = (stem) => performTermsSearch(new Set([stem]), new Set());

  Search.performTermsSearch = (stems, excluded) => {
    const pages = weighed(stems);
    return performTermsSearch(stems, excluded).map((result) => pages.get(result[0]) ?? result);
  };

  /**
   * The pages that have some of the words, with the mean of their points, as Sphinx counts them for
   * each word; a word counts more, the rarer it is, and one that a page does not have is nothing.
   */
  function weighed(stems) {
    const pages = new Map();
    const known = Array.from(stems, Search.pagesWith).filter((found) => found.length > 0);
    const weights = known.map((found) =>
      Math.log((Search._index.docnames.length + 1) / found.length),
    );
    const all = weights.reduce((sum, weight) => sum + weight, 0);
    for (const [place, found] of known.entries())
      for (const result of found) {
        const [page, points] = [result[0], result[4]];
        const before = pages.get(page)?.[4] ?? 0;
        pages.set(page, result.with(4, before + (weights[place] / all) * points));
      }
    return pages;
  }

  /** The pages that have the most of the words, the best last. */
  const closest = (stems) =>
    [...weighed(stems).values()].sort(_orderResultsByScoreThenName).slice(-MOST_PAGES);

  /** The page of symptoms, where the query stands in its field already; other pages as they are. */
  const askAgain = (query) => (result) =>
    result[0] === SYMPTOMS && !result[2] ? result.with(2, asking(query)) : result;
  const asking = (query) => `?q=${encodeURIComponent(query)}`;

  function pointAtSymptoms(query) {
    const { docnames, titles } = Search._index;
    const link = document.createElement("a");
    link.href = SYMPTOMS + DOCUMENTATION_OPTIONS.LINK_SUFFIX + asking(query);
    link.textContent = titles[docnames.indexOf(SYMPTOMS)];
    const line = document.createElement("p");
    line.append(
      "The page ",
      link,
      " lists what PyTorch says when something fails, and what helps.",
    );
    Search.status.after(line);
  }
})();
