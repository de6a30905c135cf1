// @ts-check
// What the viewer says, in the page's language.

const LANGUAGES = ['en', 'de', 'fr'];

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
 * Fetch the texts in the page's language, or else in English.
 * @returns {Promise<Say>}
 */
export async function loadWords() {
  const language = document.documentElement.lang.split('-')[0];
  const address = `/viewer/words/${LANGUAGES.includes(language) ? language : 'en'}.json`;
  const answer = await fetch(address);
  if (!answer.ok) {
    throw new Error(`${address}: ${answer.status}`);
  }
  return sayFrom(await answer.json());
}
