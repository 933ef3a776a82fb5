// What the theme's scripts take from those who use keys or a screen reader: the focus, names, Escape.
(() => {
  const TOGGLES = ".theme-switch-button, .search-button, .primary-toggle, .secondary-toggle";
  const DIALOGS = {
    "pst-search-dialog": "Search",
    "pst-primary-sidebar-modal": "Contents",
    "pst-secondary-sidebar-modal": "Contents of this page",
  };
  const root = document.documentElement;

  /** The theme takes the focus from a button that is pressed; then Tab begins at the top again. */
  function keepFocus() {
    for (const button of document.querySelectorAll(TOGGLES)) button.blur = () => {};
    // What is copied passes through a field that has the focus for a moment.
    document.addEventListener("click", ({ target }) => target.closest(".copybtn")?.focus());
  }

  function nameDialogs() {
    for (const [id, name] of Object.entries(DIALOGS))
      document.getElementById(id)?.setAttribute("aria-label", name);
  }

  /** Call now, and each time an attribute changes. */
  function follow(element, attribute, name) {
    name();
    new MutationObserver(name).observe(element, { attributeFilter: [attribute] });
  }

  function nameModes() {
    for (const button of document.querySelectorAll(".theme-switch-button"))
      follow(root, "data-mode", () => {
        button.setAttribute("aria-label", `Color mode: ${root.dataset.mode}`);
      });
  }

  /** A solution's button is called what stands on it, and which solution it opens. */
  function nameFolds() {
    for (const button of document.querySelectorAll(".admonition-title > .toggle-button"))
      follow(button, "data-toggle-hint", () => {
        const title = button.parentElement.textContent.trim().replace(/\s+/g, " ");
        button.setAttribute("aria-label", `${button.dataset.toggleHint}: ${title}`);
      });
  }

  /** Escape closes the note of a button, which may cover what is below it. */
  function closeNotes() {
    document.addEventListener("keydown", ({ key }) => {
      if (key !== "Escape") return;
      for (const button of document.querySelectorAll("[data-bs-toggle=tooltip]"))
        window.bootstrap?.Tooltip.getInstance(button)?.hide();
    });
  }

  // By then the buttons of copies and folds are there.
  window.addEventListener("load", () => {
    for (const mend of [keepFocus, nameDialogs, nameModes, nameFolds, closeNotes]) mend();
  });
})();
