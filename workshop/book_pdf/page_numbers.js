// Each link that names a page. A number may move a line, which moves a page, which changes the
// number again. So a number never gets narrower from one print to the next: what it lacks are
// spaces as wide as a digit.
(pages) => {
  for (const link of document.querySelectorAll(".qb-solution-link, .qb-entry, .qb-see")) {
    const page = pages[link.getAttribute("href").slice(1)];
    const digits = String(page ?? "00");
    if (page) link.dataset.width = Math.max(link.dataset.width ?? 0, digits.length);
    link.dataset.page = digits.padStart(link.dataset.width ?? 0, "\u2007");
  }
};
