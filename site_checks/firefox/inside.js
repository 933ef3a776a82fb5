/* Runs in Firefox's own process, not in a page: what Playwright misses over WebDriver BiDi. */
(() => {
  const load = (file) => ChromeUtils.importESModule(`chrome://remote/content/${file}.sys.mjs`);
  const { emulation } = load("webdriver-bidi/modules/root/emulation");
  const { RemoteAgent } = load("components/RemoteAgent");
  const { NavigableManager } = load("shared/NavigableManager");
  const { WebDriverBiDiConnection } = load("webdriver-bidi/WebDriverBiDiConnection");
  const { UserContextManager } = load("shared/UserContextManager");
  const ofVisit = new Map();
  const ofTab = new Map();

  const tabs = () =>
    [...Services.wm.getEnumerator("navigator:browser")]
      .flatMap((window) => window.gBrowser.tabs)
      .map((tab) => tab.linkedBrowser.browsingContext);
  const visitOf = (tab) => tab.originAttributes.userContextId;
  const tabsOf = (visit) => tabs().filter((tab) => visitOf(tab) === visit);
  const tabWith = (id) => tabs().find((tab) => tab.browserId === id);
  const apply = (tab) => Object.assign(tab, ofVisit.get(visitOf(tab)), ofTab.get(tab.browserId));

  // A visit of Playwright's begins with this command, which Firefox 153 does not know. It does
  // nothing: all features of media are set below, those too that Playwright does not pass on.
  emulation.prototype.setMediaFeaturesOverride = async () => {};
  Services.obs.addObserver((context) => {
    if (context.isContent && context === context.top) {
      apply(context);
    }
  }, "browsing-context-attached");

  // Playwright tells downloads apart by the id of a navigation, which Firefox 153 sends as null,
  // and has no words for an error that is written to the console.
  const { sendEvent } = WebDriverBiDiConnection.prototype;
  WebDriverBiDiConnection.prototype.sendEvent = function (method, params) {
    if (method.startsWith("browsingContext.download")) {
      params.navigation ??= params.url;
    }
    for (const arg of params.args ?? []) {
      if (arg.type === "error") {
        Object.assign(arg, { type: "string", value: params.text });
      }
    }
    sendEvent.call(this, method, params);
  };

  const nameOf = (id) => NavigableManager.getIdForBrowsingContext(tabWith(id));
  const ask = (module, command, options) =>
    RemoteAgent.webDriverBiDi.session.execute(module, command, options);

  /* Remembered with the class, where later calls find it, whichever window is open then. */
  emulation.forTests = {
    newestVisit: () =>
      UserContextManager.getInternalIdById(UserContextManager.getUserContextIds().at(-1)),
    newestTab: (visit) => Math.max(...tabsOf(visit).map((tab) => tab.browserId)),
    setVisit(visit, settings) {
      ofVisit.set(visit, settings);
      tabsOf(visit).forEach(apply);
    },
    setTab(id, settings) {
      ofTab.set(id, { ...ofTab.get(id), ...settings });
      apply(tabWith(id));
    },
    async tap(id, x, y) {
      const finger = { type: "pointer", id: "finger", parameters: { pointerType: "touch" } };
      finger.actions = [
        { type: "pointerMove", x: Math.round(x), y: Math.round(y) },
        { type: "pointerDown", button: 0 },
        { type: "pointerUp", button: 0 },
      ];
      await ask("input", "performActions", { context: nameOf(id), actions: [finger] });
    },
    async print(id, page) {
      const margin = { top: 0, right: 0, bottom: 0, left: 0 };
      return (await ask("browsingContext", "print", { context: nameOf(id), page, margin })).data;
    },
  };
})();
