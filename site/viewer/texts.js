// @ts-check
// The panel next to the stage: the text of the pages on it, line by line, and a search in all of them
// (IIIF Content Search 2.0), whose matches are marked in the pictures.
import { iconButton, make } from './elements.js';
import { Marks } from './marks.js';

/** @typedef {import('./image-viewer.js').ImageViewer} ImageViewer */
/** @typedef {import('./words.js').Say} Say */
/** @typedef {{ page: number, prefix: string, exact: string, suffix: string, targets: string[] }} Match */

const MAX_QUERY_LENGTH = 200; // characters

/** Ask an address of ours; null if nothing is there. @param {string} address */
async function ask(address) {
  const answer = await fetch(address);
  if (answer.status === 404) {
    return null;
  }
  if (!answer.ok) {
    throw new Error(`${address} answers ${answer.status}`);
  }
  return answer.json();
}

/** @param {any} value */
const listed = (value) => (Array.isArray(value) ? value : [value]);

export class TextPanel {
  /**
   * @param {ImageViewer} viewer
   * @param {Say} say
   */
  constructor(viewer, say) {
    this.viewer = viewer;
    this.say = say;
    this.marks = new Marks(viewer);
    /** @type {Map<number, Promise<any>>} */
    this.texts = new Map();
    this.latest = 0;
    this.next = '';
    this.searched = {};
    this.input = make('input', { type: 'search', maxlength: String(MAX_QUERY_LENGTH), autocomplete: 'off', spellcheck: 'false' });
    this.status = make('p', { class: 'note', role: 'status' });
    this.hits = make('ol', { class: 'hits' });
    this.more = make('button', { type: 'button', class: 'plain' }, say('searchMore'));
    this.text = make('div', { class: 'page-texts' });
    this.element = this.build();
    this.element.hidden = true;
    viewer.figure.append(this.element);
    viewer.addEventListener('page', () => !this.element.hidden && this.showTexts());
  }

  build() {
    const form = make('form', { role: 'search' });
    const label = make('label', {}, make('span', {}, this.say('searchInside')), this.input);
    form.append(label, make('button', { type: 'submit', class: 'plain' }, this.say('searchStart')));
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      this.search();
    });
    this.more.hidden = true;
    this.more.addEventListener('click', () => this.showMore());
    const close = iconButton('close', this.say('close'), () => this.toggle());
    const panel = make('section', { class: 'transcript', 'aria-label': this.say('text') });
    panel.append(close, form, this.status, this.hits, this.more, this.text);
    panel.addEventListener('keydown', (event) => event.key === 'Escape' && this.toggle());
    return panel;
  }

  /** Show the panel, or hide it; return whether it is shown. */
  toggle() {
    const isShown = Boolean(this.element.hidden);
    this.element.hidden = !isShown;
    this.viewer.figure.classList.toggle('reading', isShown);
    this.viewer.dispatchEvent(new Event('reading'));
    if (isShown) {
      this.input.focus();
      this.showTexts();
    } else {
      this.marks.clear();
      this.viewer.osd.canvas.focus();
    }
    return isShown;
  }

  /** Show the texts of the pages on the stage. */
  async showTexts() {
    const turn = (this.latest += 1);
    const parts = await Promise.all(this.viewer.shown.map((page) => this.readText(page)));
    if (turn === this.latest) {
      this.text.replaceChildren(...parts.flat());
    }
  }

  /** @param {number} page */
  async readText(page) {
    const { number, label, hasText } = this.viewer.canvases[page];
    const heading = make('h2', {}, this.say('textOf', { label }));
    if (!hasText) {
      return [heading, make('p', { class: 'note' }, this.say('textNone'))];
    }
    if (!this.texts.has(page)) {
      const folder = new URL(this.viewer.figure.dataset.manifest ?? '', location.href).pathname.replace(/[^/]+$/, '');
      this.texts.set(page, ask(`${folder}text-${number}.json`));
    }
    try {
      const document = await this.texts.get(page);
      const lines = (document?.items ?? []).map((/** @type {any} */ item) => this.line(page, item));
      return [heading, ...lines];
    } catch {
      this.texts.delete(page);
      return [heading, make('p', { class: 'note' }, this.say('textTrouble'))];
    }
  }

  /**
   * Return a line, which is marked in the picture while it is pointed at.
   * @param {number} page
   * @param {any} item
   */
  line(page, { body, target }) {
    const line = make('p', { dir: 'auto', ...(body.language ? { lang: body.language } : {}) }, body.value);
    line.addEventListener('pointerenter', () => this.marks.point(page, listed(target)));
    line.addEventListener('pointerleave', () => this.marks.point(page, []));
    return line;
  }

  /** Search what is in the form; matches stay marked until the next search. */
  async search() {
    const query = this.input.value.trim();
    this.hits.replaceChildren();
    this.marks.setMatches([]);
    this.more.hidden = true;
    this.status.textContent = '';
    if (query) {
      const root = this.viewer.figure.dataset.search ?? '';
      await this.append(`${root}?${new URLSearchParams({ q: query, motivation: 'supplementing' })}`, query);
    }
  }

  async showMore() {
    const place = this.hits.childElementCount;
    await this.append(this.next, this.input.value.trim());
    /** @type {HTMLElement | null} */ (this.hits.children[place]?.querySelector('button'))?.focus();
  }

  /**
   * @param {string} address
   * @param {string} query
   */
  async append(address, query) {
    const turn = (this.searched = {});
    try {
      const answer = await ask(address);
      if (turn !== this.searched) {
        return;
      }
      const matches = answer ? this.read(answer) : [];
      this.hits.append(...matches.map((match) => this.hit(match)));
      this.marks.setMatches([...this.marks.matches, ...matches]);
      const count = answer?.partOf?.[0]?.total ?? 0;
      const words = count === 0 ? 'searchNone' : count === 1 ? 'searchOne' : 'searchMany';
      this.status.textContent = this.say(words, { query, count: this.viewer.numbers?.format(count) ?? count });
      this.next = answer?.next ? new URL(answer.next.id).pathname + new URL(answer.next.id).search : '';
      this.more.hidden = !this.next;
    } catch {
      if (turn === this.searched) {
        this.status.textContent = this.say('searchTrouble');
      }
    }
  }

  /** Return the matches of an answer on pages that are here. @param {any} answer @returns {Match[]} */
  read({ items, annotations }) {
    const targets = new Map(items.map((/** @type {any} */ { id, target }) => [id, listed(target)]));
    const pages = new Map(this.viewer.canvases.map(({ id }, page) => [id, page]));
    return annotations[0].items.flatMap((/** @type {any} */ { target }) => {
      const parts = listed(target);
      const where = parts.flatMap(({ source }) => targets.get(source) ?? []);
      const page = pages.get(where[0]?.split('#')[0]);
      const { prefix, exact, suffix } = parts[0].selector[0];
      return page === undefined ? [] : [{ page, prefix, exact, suffix, targets: where }];
    });
  }

  /** @param {Match} match */
  hit(match) {
    const { label } = this.viewer.canvases[match.page];
    const passage = make('span', { dir: 'auto' }, match.prefix, make('mark', {}, match.exact), match.suffix);
    const button = make('button', { type: 'button' }, make('span', { class: 'note' }, label), passage);
    button.addEventListener('click', () => this.marks.show(match));
    return make('li', {}, button);
  }
}
