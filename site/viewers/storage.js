// @ts-check
// A memory for viewers that insist on one: in their sandbox, the browser's own throws when it is read.
// It ends with the page.
for (const name of ['sessionStorage', 'localStorage']) {
  const kept = new Map();
  Object.defineProperty(window, name, {
    value: {
      /** @param {string} key */
      getItem: (key) => kept.get(String(key)) ?? null,
      /** @param {string} key @param {unknown} value */
      setItem: (key, value) => void kept.set(String(key), String(value)),
      /** @param {string} key */
      removeItem: (key) => void kept.delete(String(key)),
      clear: () => kept.clear(),
    },
  });
}
