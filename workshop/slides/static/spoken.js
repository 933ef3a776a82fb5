// Tells a screen reader what a slide shows. reveal.js tells it all letters that stand below a slide:
// those of its drawings, of solutions that are still closed and of choices that nobody made too.
(() => {
  const SILENT = "style, script, noscript, annotation, [aria-hidden=true]";
  const BETWEEN = { mfrac: " / ", msup: "^", msub: "_" }; // what the letters of a formula would lose

  /** The words of a node, as they are read to somebody who does not see it. */
  function spoken(node) {
    if (node.nodeType === Node.TEXT_NODE) return node.data;
    if (node.nodeType !== Node.ELEMENT_NODE) return "";
    if (node.matches(SILENT) || !node.checkVisibility()) return "";
    if (node.matches("img, [role=img]"))
      return ` ${node.getAttribute("aria-label") ?? node.alt ?? ""} `;
    if (node.matches("select")) return ` ${node.selectedOptions[0]?.label ?? ""} `;
    const between = BETWEEN[node.localName];
    const parts = [...node.childNodes].map(spoken);
    const inside = between ? parts.map(bracketed).join(between) : parts.join("");
    const name = node.matches("[role=group][aria-label]")
      ? `${node.getAttribute("aria-label")}. `
      : "";
    return getComputedStyle(node).display.startsWith("inline") ? inside : ` ${name}${inside} `;
  }

  function bracketed(part) {
    return /\s/.test(part.trim()) ? `(${part.trim()})` : part;
  }

  function watch() {
    const status = document.querySelector(".aria-status");
    let shown = Reveal.getCurrentSlide();
    Reveal.on("slidechanged", ({ currentSlide }) => {
      shown = currentSlide;
    });
    Reveal.on("fragmentshown", ({ fragment }) => {
      shown = fragment;
    });
    const mend = () => {
      const words = spoken(shown).replace(/\s+/g, " ").trim();
      if (status.textContent !== words) status.textContent = words;
    };
    new MutationObserver(mend).observe(status, { childList: true });
    mend();
  }

  Reveal.on("ready", watch);
})();
