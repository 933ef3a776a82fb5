// What a page shows of the reader's progress: ticks in the contents, and on one page the list of all
// questions, with a file to take along. `globalThis.qbQuestions` names the questions of each page.

import {
  CHANGED,
  counted,
  erase,
  exported,
  imported,
  solvedNames,
} from "../../qlearn/course/question/progress.js";

const LARGEST_FILE = 1e6; // bytes; a file of progress has some thousands
const { pages, progress } = globalThis.qbQuestions;
const root = new URL(document.documentElement.dataset.content_root, location.href);
const addressOf = (page) => new URL(`${page}.html`, root).href;

/** How many questions of a page are solved. */
const solvedOn = (page, solved) => pages[page].filter((name) => solved.has(name)).length;

/** A tick in the contents stands for a page all of whose questions are solved. */
function tickContents(solved) {
  const done = new Set(
    Object.keys(pages)
      .filter((page) => solvedOn(page, solved) === pages[page].length)
      .map(addressOf),
  );
  for (const link of document.querySelectorAll(".bd-sidebar-primary nav a")) {
    link.querySelector(".qb-tick")?.remove();
    if (done.has(link.href.split("#")[0])) link.append(tick());
  }
}

function tick() {
  const mark = document.createElement("span");
  mark.className = "qb-tick";
  mark.setAttribute("role", "img");
  mark.setAttribute("aria-label", ", all questions solved");
  mark.textContent = " ✓";
  return mark;
}

/** Below the contents: how many are solved, and a link to the page that says more. */
function tellBelowContents(solved) {
  const contents = document.querySelector(".bd-sidebar-primary nav.bd-links");
  document.querySelector(".qb-solved-count")?.remove();
  const all = Object.keys(pages);
  const count = all.reduce((sum, page) => sum + solvedOn(page, solved), 0);
  if (!contents || count === 0) return;
  const link = document.createElement("a");
  link.href = addressOf(progress);
  link.textContent = `${count} of ${all.flatMap((page) => pages[page]).length} questions solved`;
  const line = document.createElement("p");
  line.className = "qb-solved-count";
  line.append(link);
  contents.append(line);
}

/** The list on the page of progress. */
function fillList(solved) {
  for (const row of document.querySelectorAll(".qb-progress tr[data-page]")) {
    const { page } = row.dataset;
    const [count, all] = [solvedOn(page, solved), pages[page].length];
    row.cells[1].textContent = `${count === all ? "✓ " : ""}${count} of ${all} solved`;
  }
}

function show() {
  const solved = new Set(solvedNames());
  tickContents(solved);
  tellBelowContents(solved);
  fillList(solved);
}

function save() {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([exported()], { type: "application/json" }));
  link.download = "quantization-progress.json";
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href)); // later: the download may not have begun
  return `A file with ${counted(solvedNames().length)} was saved.`;
}

async function read(input) {
  const [file] = input.files;
  if (!file) return "";
  const text = file.size > LARGEST_FILE ? "" : await file.text().catch(() => "");
  input.value = ""; // so that the same file can be read again
  return `${file.name}: ${imported(text)}`;
}

function forget() {
  const all = solvedNames();
  if (all.length === 0) return "There is nothing to erase.";
  if (!confirm(`Erase ${counted(all.length)}? This cannot be undone.`))
    return "Nothing was erased.";
  erase();
  return "All is erased.";
}

function listen(form) {
  form.hidden = false;
  const say = (sentence) => {
    form.querySelector("output").textContent = sentence;
  };
  form.elements.export.addEventListener("click", () => say(save()));
  form.elements.erase.addEventListener("click", () => say(forget()));
  form.elements.import.addEventListener("change", async ({ target }) => say(await read(target)));
}

addEventListener(CHANGED, show); // on this page
addEventListener("storage", show); // on another that is open
document.querySelectorAll(".qb-progress form").forEach(listen);
show();
