// Starts the deck, and sets the type of each slide as large as there is room in the fonts that are
// here: first the largest, down to what the last row still reads. Pictures take what is left.
(() => {
  // Pixels of prose, code and tables, on a stage of 1280 by 720.
  const SIZES = [
    [34, 28, 28],
    [32, 27, 27],
    [30, 26, 26],
    [28, 25, 25],
    [28, 24, 24],
    [26, 23, 23],
    [26, 22, 22],
    [25, 21, 21],
    [24, 20, 20],
    [24, 19, 20],
    [24, 18, 20],
  ];
  const BESIDE_PICTURE = 26; // the picture needs the room
  const ZOOMS = Array.from({ length: 25 }, (_, at) => 2 - at * 0.05);
  const query = new URLSearchParams(location.search);
  const printed = query.has("print-pdf");

  const wide = (box) => box.scrollWidth > box.clientWidth + 1;
  const overflows = (box) =>
    box.scrollHeight > box.clientHeight + 1 ||
    wide(box) ||
    [...box.querySelectorAll(":scope > table :is(td, th), :scope > .highlight > pre")].some(wide);

  function setType(slide) {
    const body = slide.querySelector(".body");
    const besides = slide.matches(".picture");
    for (const [prose, code, table] of SIZES) {
      if (besides && prose > BESIDE_PICTURE) continue;
      slide.style.setProperty("--prose", `${prose}px`);
      slide.style.setProperty("--code", `${code}px`);
      slide.style.setProperty("--table", `${table}px`);
      if (!overflows(body)) return;
    }
  }

  /** The largest zoom at which what is in the box does not reach beyond it. */
  function largest(box) {
    const [inside] = box.children;
    return (
      ZOOMS.find((factor) => {
        inside.style.zoom = factor;
        return !overflows(box);
      }) ?? ZOOMS.at(-1)
    );
  }

  /** Set what is in the box as large as there is room, in two columns if that helps much. */
  function zoom(box) {
    const [inside] = box.children;
    const hasHalves = box.closest(".slide").matches(".widget, .question");
    inside.classList.remove("halves");
    const whole = largest(box);
    if (!hasHalves || whole > 1.5) return;
    inside.classList.add("halves");
    if (largest(box) > whole * 1.1) return;
    inside.classList.remove("halves");
    inside.style.zoom = whole;
  }

  function fit(slide) {
    setType(slide);
    for (const box of slide.querySelectorAll(".fill")) zoom(box);
  }

  const slideOf = (section) => section?.querySelector(":scope > .slide");
  const current = () => slideOf(Reveal.getCurrentSlide());

  // An answer gets a sentence below it, which needs room.
  const grown = new ResizeObserver((entries) => {
    for (const { target } of entries) {
      const box = target.closest(".fill");
      if (box.clientHeight > 0 && overflows(box)) largest(box);
    }
  });
  for (const host of document.querySelectorAll(".qb-widget-host")) {
    host.dataset.preventSwipe = "";
    grown.observe(host);
  }

  // Keys belong to the picture or question that has the focus, until Escape gives them back.
  const inWidget = ({ target }) => target.closest?.(".qb-widget");
  document.addEventListener(
    "keydown",
    (event) => {
      if (event.key !== "Escape" || !inWidget(event)) return;
      document.activeElement.blur();
      event.stopImmediatePropagation();
    },
    true,
  );

  const fitAll = () => document.querySelectorAll(".slide").forEach(fit);
  const fitCurrent = () => current() && fit(current());
  Reveal.on("ready", fitCurrent);
  Reveal.on("slidechanged", fitCurrent);
  Reveal.on("pdf-ready", fitAll);
  Reveal.initialize({
    width: 1280,
    height: 720,
    margin: 0,
    center: false,
    hash: true,
    navigationMode: "linear",
    transition: "none",
    backgroundTransition: "none",
    slideNumber: "c/t",
    keyboardCondition: (event) => !inWidget(event),
    pdfMaxPagesPerSlide: 1,
    pdfSeparateFragments: false,
    showNotes: printed && query.has("notes") ? "separate-page" : false,
    plugins: [RevealNotes, RevealZoom],
  });
})();
