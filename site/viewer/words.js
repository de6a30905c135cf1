// @ts-check
// What the viewer says, in the page's language.

/** @typedef {(name: string, values?: Record<string, string | number>) => string} Say */

/**
 * Return a function that fills a text's {places}.
 * @param {Record<string, string>} texts
 * @returns {Say}
 */
export function sayFrom(texts) {
  return (name, values = {}) => {
    const text = texts[name];
    if (text === undefined) {
      throw new Error(`The viewer has no text "${name}".`);
    }
    return text.replace(/\{(\w+)\}/g, (whole, key) => String(values[key] ?? whole));
  };
}

/**
 * Fetch the texts at `address`, once.
 * @param {string} address
 * @returns {Promise<Say>}
 */
export async function loadWords(address) {
  const answer = await fetch(address);
  if (!answer.ok) {
    throw new Error(`${address}: ${answer.status}`);
  }
  return sayFrom(await answer.json());
}
