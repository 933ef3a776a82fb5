// In each frame: is the first widget's picture laid out? When the host script has taken it over,
// move the first control that the widget has, as a key would, and note the frame that follows.
(() => {
  window.visit = {};
  const first = ".qb-widget-host .qb-widget:not(.qb-question)";
  const look = (now) => {
    const picture = document.querySelector(`${first} :is(svg, table, select, .qb-fork)`);
    if (picture?.getBoundingClientRect().height) window.visit.picture ??= now;
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
  const key = () => {
    const control = document.querySelector(`${first} :is(input, select, button[name]):enabled`);
    if (control.type === "range") control.value = Number(control.value) + Number(control.step || 1);
    if (control.tagName === "BUTTON") control.click();
    else control.dispatchEvent(new Event("input", { bubbles: true }));
    requestAnimationFrame((now) => {
      window.visit.answer = now;
    });
  };
  new MutationObserver((_, observer) => {
    if (!document.querySelector(first)?.closest(".qb-widget-host[data-drawn]")) return;
    observer.disconnect();
    scheduler.postTask(key, { priority: "user-blocking" }); // as a real key's is
  }).observe(document, { subtree: true, attributeFilter: ["data-drawn"] });
})();
