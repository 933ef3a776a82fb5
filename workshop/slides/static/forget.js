// A deck remembers nothing: what was solved at the rehearsal is not solved in the room.
Object.defineProperty(globalThis, "localStorage", {
  value: { getItem: () => null, setItem() {}, removeItem() {} },
});
