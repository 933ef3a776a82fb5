// Room for lines that come and go: what stands below a figure would else jump, and be laid out and
// painted again, whenever a sentence of the figure takes a line more or less.

const SENTENCES = ".qb-result, .qb-steady";
const widths = new WeakMap(); // of the sentences that are watched
let watch; // made in a page: Node, which draws the first picture, has none

/** Let each sentence of a figure stay as high as it ever was at its width. */
export function keepRoom(el) {
  watch ??= new ResizeObserver(hold);
  for (const sentence of el.querySelectorAll(SENTENCES)) {
    if (widths.has(sentence)) continue;
    widths.set(sentence, null);
    watch.observe(sentence);
  }
}

function hold(entries) {
  for (const { target, contentRect } of entries) {
    const before = widths.get(target);
    widths.set(target, contentRect.width);
    if (before === null || before === contentRect.width) grow(target);
    else requestAnimationFrame(() => shrink(target));
  }
}

/** A part of a pixel less, and all that is below is laid out anew. */
const grow = (target) => {
  target.style.minHeight = `${target.getBoundingClientRect().height}px`;
};

/** At another width the text has other lines. */
const shrink = (target) => {
  target.style.minHeight = "";
  grow(target);
};
