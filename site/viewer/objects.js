// @ts-check
// Objects of the site by their titles, for a field in which somebody names one. It comes when the
// first letters are typed, and reads the same index as the search.
import { Index } from '../search/index.js';
import { choose } from '../search/results.js';
import { make } from './elements.js';

const MOST = 5;
const PAUSE = 150; // milliseconds without a key

/**
 * List the objects whose titles have what is typed into a field; choosing one writes its address.
 * @param {HTMLInputElement} field
 * @param {HTMLElement} list
 */
export function suggestObjects(field, list) {
  const index = new Index();
  const language = document.documentElement.lang;
  let [pause, latest] = [0, 0];
  const show = async () => {
    const turn = (latest += 1);
    const text = field.value.trim();
    const isTitle = text && !/^(https?:|\/)/.test(text);
    const found = isTitle ? (await index.query(text)).found : [];
    const cards = (await index.cards(found.slice(0, MOST))).filter((card) => card && card[0] !== 'collection');
    if (turn === latest) {
      list.replaceChildren(...cards.map((card) => entry(card)));
    }
  };
  /** @param {any} card */
  const entry = ([, identifier, labels, line, thumbnail]) => {
    const [title] = choose(labels, language);
    const picture = thumbnail ? [make('img', { src: thumbnail, alt: '' })] : [];
    const words = make('span', {}, title, make('small', {}, line));
    const button = make('button', { type: 'button' }, ...picture, words);
    button.addEventListener('click', () => {
      field.value = `/objects/${encodeURIComponent(identifier)}`;
      list.replaceChildren();
      field.form?.requestSubmit();
    });
    return make('li', {}, button);
  };
  const type = () => {
    clearTimeout(pause);
    pause = setTimeout(() => show().catch(() => list.replaceChildren()), PAUSE);
  };
  field.addEventListener('input', type);
  type();
}
