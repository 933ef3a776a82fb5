// The field on the page of symptoms: its entries are read from the page, and links to those that
// fit best appear below what was pasted.

import { closest, indexOf, messageIn } from "./ranking.js";

const ANCHOR = "symptom-";
const LETTERS_SEARCHED = 300; // a message can name a hundred backends
const texts = (elements) => Array.from(elements, (element) => element.textContent);

/** The entries of the page: their headings, the lines of the list that lead to them, their text. */
function entriesOf(article) {
  return Array.from(article.querySelectorAll(`[id^="${ANCHOR}"]`), (mark) => {
    const section = mark.closest("section");
    const heading = section.querySelector("h3");
    const line = article.querySelector(`li a[href="#${mark.id}"]`);
    const kind = section.parentElement.querySelector("h2").firstChild.textContent;
    return {
      name: mark.id.slice(ANCHOR.length),
      headings: texts([heading, line]),
      codes: texts(section.querySelectorAll("code")),
      text: section.textContent,
      runs: kind.startsWith("It runs"),
      heading,
      kind,
    };
  });
}

/** A link to an entry, with its heading as it stands there, and the part of the page it is in. */
function lineFor({ name, heading, kind }) {
  const link = document.createElement("a");
  link.href = `#${ANCHOR}${name}`;
  link.append(heading.cloneNode(true));
  link.querySelector(".headerlink").remove();
  link.firstChild.replaceWith(...link.firstChild.childNodes);
  const part = document.createElement("small");
  part.textContent = kind;
  const line = document.createElement("li");
  line.append(link, " ", part);
  return line;
}

/** What an answer is worth, in a sentence for one entry and in one for several. */
function sentences(count, sure, isMessage) {
  if (sure)
    return ["It looks like this one:", `${count} entries look like it, the likeliest first:`];
  if (isMessage) {
    const none = "No entry quotes this message. The nearest";
    return [`${none}:`, `${none}, ${count}:`];
  }
  return ["It may be this one:", `None fits well. Begin with the first of ${count}:`];
}

function said({ entries, sure, isMessage }) {
  if (!entries.length)
    return "No entry has these words. Say it in other words, or paste the message.";
  const [one, several] = sentences(entries.length, sure, isMessage);
  return entries.length === 1 ? one : several;
}

/** Words for those who hear the answer: of the links below it, the first. */
function heard(link) {
  const name = document.createElement("span");
  name.className = "visually-hidden";
  name.textContent = link ? ` ${link.textContent}` : "";
  return name;
}

/** A link that asks the search of the whole book for the same. */
function elsewhere(query) {
  const root = new URL(document.documentElement.dataset.content_root, location.href);
  const words = messageIn(query).slice(0, LETTERS_SEARCHED);
  const link = document.createElement("a");
  link.href = `${new URL("search.html", root).href}?q=${encodeURIComponent(words)}`;
  link.textContent = "Search the whole book for it";
  return link;
}

function listen(form) {
  const [field, output, list] = ["textarea", "output", "ol"].map((tag) => form.querySelector(tag));
  const index = indexOf(entriesOf(form.closest("article")));
  const answer = () => {
    const query = field.value.trim();
    const found = query ? closest(index, query) : { entries: [] };
    list.replaceChildren(...found.entries.map(lineFor));
    output.replaceChildren(...(query ? [said(found), heard(list.querySelector("a"))] : []));
    form.querySelector("p")?.remove();
    if (query) form.append(paragraph(elsewhere(query)));
  };
  field.value ||= new URLSearchParams(location.search).get("q") ?? ""; // from the book's search
  field.addEventListener("input", answer);
  addEventListener("pageshow", answer); // by then a browser has put back what stood in the field
  form.hidden = false;
  answer();
}

function paragraph(link) {
  const line = document.createElement("p");
  line.append(link, ".");
  return line;
}

document.querySelectorAll(".qb-finder").forEach(listen);
