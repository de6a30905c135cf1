// What the texts of pages say of a query: asked of /inside/3/search-2, IIIF Content Search 2.0
// (vitrine/api/full_text_search.py answers).

import { encodeState } from '../viewer/content-state.js';
import { label, make } from './results.js';

const SERVICE = '/inside/3/search-2';
const AROUND = 8; // heights of a word that are shown on each side of it
const MAX_ASKED = 3; // answers one after the other, while none has an object

export class Texts {
  #section;
  #list;
  #more;
  #page;
  #asked = new AbortController();

  constructor(section, page) {
    this.#section = section;
    this.#list = section.querySelector('ol');
    this.#more = section.querySelector('button');
    this.#page = page;
  }

  // Show which texts have a query; return a sentence that says how many, '' for none. After `pause`
  // milliseconds in which nothing else is asked; null if something else was.
  async show(text, pause) {
    this.#asked.abort();
    const { signal } = (this.#asked = new AbortController());
    if (pause) await new Promise((resolve) => setTimeout(resolve, pause));
    if (signal.aborted) return null;
    try {
      const answer = text ? await ask(text, 0, signal) : null;
      if (signal.aborted) return null;
      this.#list.replaceChildren();
      this.#append(text, answer, signal);
      return this.#count(text, answer);
    } catch (error) {
      if (signal.aborted) return null;
      this.#list.replaceChildren();
      this.#append(text, null, signal);
      return this.#trouble(error);
    }
  }

  #append(text, answer, signal) {
    const shown = answer ? passages(answer).map((object) => this.#passage(object)) : [];
    const next = startOfNext(answer);
    this.#list.append(...shown);
    // Where no object was found yet, others may follow: a phrase is looked up in some at a time.
    this.#section.hidden = !this.#list.childElementCount && !next;
    this.#more.hidden = !next;
    this.#more.onclick = () => this.#showMore(text, next, signal);
    return shown[0];
  }

  // A button that is disabled would lose the focus, and its place is lost when nothing follows.
  async #showMore(text, next, signal) {
    if (this.#more.getAttribute('aria-disabled')) return;
    this.#more.setAttribute('aria-disabled', 'true');
    try {
      const answer = await ask(text, next, signal);
      if (signal.aborted) return;
      const following = this.#append(text, answer, signal);
      this.#page.tell(this.#count(text, answer));
      if (following || this.#more.hidden) {
        const reached = following ?? this.#list.lastElementChild;
        (reached?.querySelector('a') ?? this.#page.input).focus();
      }
    } catch (error) {
      if (!signal.aborted) this.#page.tell(this.#trouble(error));
    } finally {
      this.#more.removeAttribute('aria-disabled');
    }
  }

  #count(text, answer) {
    const found = answer?.partOf[0].found;
    if (!found?.objects || this.#section.hidden) return '';
    const values = { query: text.trim(), count: this.#page.number(found.objects) };
    if (!found.isExact || !this.#list.childElementCount) return this.#page.say('texts_most', values);
    return this.#page.say(found.objects === 1 ? 'texts_one' : 'texts_many', values);
  }

  #trouble(error) {
    return this.#page.say(error instanceof Refused ? 'texts_refused' : 'texts_trouble');
  }

  #passage({ manifest, matches }) {
    const [{ canvas }] = matches;
    const number = canvas.id.split('#')[0].split('/').pop();
    const where = canvas.label
      ? label(first(canvas.label), this.#page.language)
      : this.#page.say('view', { number });
    const pages = manifest.found.pages;
    const many = pages > 1 ? [' · ', this.#page.say('texts_pages', { count: this.#page.number(pages) })] : [];
    return make(
      'li',
      {},
      make('a', { href: this.#address(manifest, canvas.id, number) }, label(first(manifest.label), this.#page.language)),
      make('p', { class: 'note' }, where, ...many),
      ...apart(matches).map(({ prefix, exact, suffix }) =>
        make('p', { dir: 'auto' }, prefix, make('mark', {}, exact), suffix),
      ),
    );
  }

  // Where a viewer shows the match and what is around it: on the object's page, which has the first
  // images of a long book; behind them, Mirador.
  #address(manifest, target, number) {
    const name = new URL(manifest.id).pathname.split('/').at(-2);
    const partOf = [{ id: manifest.id, type: 'Manifest' }];
    const state = encodeState(JSON.stringify({ id: widen(target), type: 'Canvas', partOf }));
    const isShown = Number(number) <= Number(this.#section.dataset.views);
    const page = isShown ? `/objects/${name}${this.#page.suffix}` : '/viewers/mirador.html';
    return `${page}?iiif-content=${state}`;
  }
}

// A query that has too many words, or too few letters before a star.
class Refused extends Error {}

// The first answer with objects, of some that follow each other.
async function ask(text, start, signal) {
  let answer = await askOnce(text, start, signal);
  for (let asked = 1; asked < MAX_ASKED && startOfNext(answer) && !answer.items.length; asked += 1) {
    answer = await askOnce(text, startOfNext(answer), signal);
  }
  return answer;
}

async function askOnce(text, start, signal) {
  const given = new URLSearchParams({ q: text, ...(start ? { start } : {}) });
  const answer = await fetch(`${SERVICE}?${given}`, { signal });
  if (answer.status === 400) throw new Refused();
  // A copy of the site has no service.
  if (answer.status === 404) return null;
  if (!answer.ok) throw new Error(`${SERVICE} answers ${answer.status}`);
  return answer.json();
}

// The place in the ranking at which the next answer begins, if one follows.
function startOfNext(answer) {
  return answer?.next && new URL(answer.next.id).searchParams.get('start');
}

// The objects of an answer, each with its matches: a match on two lines is two annotations.
function passages({ items, annotations }) {
  const targets = new Map(items.map(({ id, target }) => [id, target]));
  const objects = new Map();
  for (const { target } of annotations[0].items) {
    const { source, selector } = [target].flat()[0];
    const canvas = targets.get(source);
    const [manifest] = canvas.partOf;
    if (!objects.has(manifest.id)) objects.set(manifest.id, { manifest, matches: [] });
    objects.get(manifest.id).matches.push({ canvas, ...selector[0] });
  }
  return [...objects.values()];
}

// Matches that do not stand in the words after another one.
function apart(matches) {
  return matches.filter(
    ({ exact }, place) => !matches.slice(0, place).some(({ suffix }) => suffix.includes(exact)),
  );
}

function widen(target) {
  const [canvas, fragment] = target.split('#xywh=');
  if (!fragment) return canvas;
  const [x, y, width, height] = fragment.split(',').map(Number);
  const margin = AROUND * height;
  const [left, top] = [Math.max(0, x - margin), Math.max(0, y - margin)];
  return `${canvas}#xywh=${left},${top},${x + width + margin - left},${y + height + margin - top}`;
}

// The first text of each language.
function first(labels) {
  return Object.fromEntries(Object.entries(labels).map(([language, [text]]) => [language, text]));
}
