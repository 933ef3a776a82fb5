// Draws the page's widgets without a kernel: for each anywidget, its class (registered by the
// script in _static/widgets/) and its state (embedded in the page) become a view, in the place of
// the picture that the build has drawn.
(() => {
  const decode = (base64) =>
    new DataView(Uint8Array.from(atob(base64), (char) => char.charCodeAt(0)).buffer);

  /** The part of a Jupyter widget model that anywidgets use; events as in Backbone. */
  class Model {
    #state;
    #listeners = new Map();

    constructor({ state, buffers }) {
      this.#state = state;
      for (const { path, data } of buffers) {
        const owner = path.slice(0, -1).reduce((value, key) => value[key], state);
        owner[path.at(-1)] = decode(data);
      }
    }

    get(name) {
      return this.#state[name];
    }

    set(name, value) {
      const changes = typeof name === "object" ? name : { [name]: value };
      const changed = Object.keys(changes).filter((key) => !same(this.#state[key], changes[key]));
      Object.assign(this.#state, changes);
      for (const key of changed) this.#emit(`change:${key}`, this, this.#state[key]);
      if (changed.length) this.#emit("change", this);
    }

    on(events, callback) {
      for (const event of events.split(/\s+/)) {
        this.#listeners.set(event, [...(this.#listeners.get(event) ?? []), callback]);
      }
    }

    off(events, callback) {
      for (const event of events?.split(/\s+/) ?? [...this.#listeners.keys()]) {
        const kept = callback
          ? (this.#listeners.get(event) ?? []).filter((f) => f !== callback)
          : [];
        this.#listeners.set(event, kept);
      }
    }

    #emit(event, ...details) {
      for (const callback of this.#listeners.get(event) ?? []) callback(...details);
    }

    // There is no kernel to save to, or to send to.
    save_changes() {}
    send() {}
  }

  const same = (a, b) => Object.is(a, b) || (isPlain(a) && JSON.stringify(a) === JSON.stringify(b));
  const isPlain = (value) => Array.isArray(value) || value?.constructor === Object;

  /** Makes the widget of a class. That of a cell is a module, of which one has to wait for a URL. */
  async function load(key) {
    const { widget, esm, css } = globalThis.qbWidgets[key];
    const made = widget ? widget() : await imported(esm, css);
    return typeof made === "function" ? made() : made;
  }

  /** Imports a module from its text; a Blob has a URL that may be imported from file:// too. */
  async function imported(esm, css) {
    if (css)
      document.head.append(Object.assign(document.createElement("style"), { textContent: css }));
    const url = URL.createObjectURL(new Blob([esm], { type: "text/javascript" }));
    const { default: widget } = await import(url);
    URL.revokeObjectURL(url);
    return widget;
  }

  const once = (make) => {
    const made = new Map();
    return (key) => made.get(key) ?? made.set(key, make(key)).get(key);
  };

  const saved = JSON.parse(document.getElementById("qb-widget-models").textContent);
  const widgetOf = once(load);
  const modelOf = once(async (id) => {
    const model = new Model(saved[id]);
    await (await widgetOf(saved[id].class)).initialize?.({ model });
    return model;
  });

  async function draw(host) {
    const { model: id } = host.dataset;
    try {
      const model = await modelOf(id);
      const { render } = await widgetOf(saved[id].class);
      host.querySelector("noscript")?.remove(); // what else is there is taken over
      await render({ model, el: host });
      host.dataset.drawn = "";
    } catch (error) {
      const note = document.createElement("p");
      note.setAttribute("role", "status");
      note.textContent =
        "This figure does not react, because its script failed. The text can be read without it.";
      host.append(note); // below the picture that the build has drawn
      host.dataset.drawn = "failed";
      console.error(error);
    }
  }

  document.querySelectorAll(".qb-widget-host").forEach(draw);
})();
