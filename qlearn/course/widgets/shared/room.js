// Room for lines that come and go: what stands below a figure would else jump, and be laid out and
// painted again, whenever a sentence of the figure takes a line more or less.

const SENTENCES = ".qb-result, .qb-steady";
const rooms = new WeakMap(); // of each sentence that is watched: its width, and the most it was high
let watch; // made in a page: Node, which draws the first picture, has none

/** Let each sentence of a figure that is drawn again stay as high as it ever was at its width. */
export function keepRoom(el) {
  watch ??= new ResizeObserver(measure);
  for (const sentence of el.querySelectorAll(SENTENCES)) {
    const room = rooms.get(sentence);
    if (room) sentence.style.minHeight = `${room.height}px`;
    if (room !== undefined) continue;
    rooms.set(sentence, null);
    watch.observe(sentence);
  }
}

function measure(entries) {
  for (const { target } of entries) {
    const before = rooms.get(target);
    const now = sizeOf(target);
    if (!before) rooms.set(target, now);
    else if (before.width !== now.width) requestAnimationFrame(() => begin(target));
    else if (before.height < now.height) rooms.set(target, now);
  }
}

/** At another width the text has other lines. */
function begin(target) {
  target.style.minHeight = "";
  rooms.set(target, sizeOf(target));
}

/** Not rounded: with a part of a pixel less, all that is below would be laid out anew. */
function sizeOf(target) {
  const { width, height } = target.getBoundingClientRect();
  return { width, height };
}
