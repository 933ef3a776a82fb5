// Escape closes the note of a term, until the pointer or the focus comes back. All else is style.
(() => {
  const OPEN = ".qb-term:is(:hover, :focus-within)";
  const reopen = ({ currentTarget }) => currentTarget.classList.remove("closed");

  document.addEventListener("keydown", ({ key }) => {
    if (key !== "Escape") return;
    for (const term of document.querySelectorAll(OPEN)) {
      term.classList.add("closed");
      term.addEventListener("mouseenter", reopen, { once: true });
      term.addEventListener("focusin", reopen, { once: true });
    }
  });
})();
