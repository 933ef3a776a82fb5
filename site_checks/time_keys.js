// Asked for at the key press, the callback is the first of its frame. A message posted in it is
// delivered after that frame's other callbacks, its layout and its painting.
(control) => {
  window.timings = [];
  const time = (resolve) => {
    const pressed = performance.now();
    const before = control.value;
    let worked = pressed;
    addEventListener(
      "input",
      () => {
        worked = performance.now();
      },
      { once: true },
    );
    requestAnimationFrame(() => {
      const frame = performance.now();
      const channel = new MessageChannel();
      channel.port1.onmessage = () => {
        const shown = performance.now();
        const redraw = worked - pressed + shown - frame;
        if (control.value !== before) window.timings.push({ redraw, screen: shown - pressed });
        resolve();
      };
      channel.port2.postMessage(0);
    });
  };
  const start = () => {
    window.shown = new Promise(time);
  };
  control.addEventListener("keydown", start, { capture: true });
};
