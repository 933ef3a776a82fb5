// The words of a page's prose.
() => {
  const main = document.querySelector("main").cloneNode(true);
  const setApart = "pre, code, script, style, noscript, .katex, .qb-widget-host";
  for (const element of main.querySelectorAll(setApart)) element.remove();
  return main.textContent;
};
