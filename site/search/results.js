// Elements of the results, made without HTML from text.

export const SHOWN = 20; // results of a page
export const EAGER = 4; // results that are on the first screen

export function make(name, attributes = {}, ...content) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...content);
  return element;
}

// A text of labels by language, and the language if it is not the page's.
export function choose(labels, language) {
  const own = Object.keys(labels).find((one) => one.toLowerCase().split('-')[0] === language);
  const found = own ?? ['none', 'en'].find((one) => one in labels) ?? Object.keys(labels)[0];
  return [labels[found], own || found === 'none' ? '' : found];
}

export function label(labels, language, attributes = {}) {
  const [text, other] = choose(labels, language);
  return make('span', other ? { ...attributes, lang: other } : attributes, text);
}

// As vitrine/site/pages/templates/macros.html writes a card.
export function card([kind, identifier, labels, line, thumbnail, width, height], page, place) {
  const folder = kind === 'collection' ? 'collections' : 'objects';
  const name = encodeURIComponent(identifier).replaceAll('%3A', ':');
  const link = make('a', { href: `/${folder}/${name}${page.suffix}` });
  if (thumbnail) {
    const size = width ? { width, height } : {};
    const lazy = place < EAGER ? {} : { loading: 'lazy' };
    link.append(make('img', { src: thumbnail, alt: '', decoding: 'async', ...size, ...lazy }));
  } else {
    link.append(make('span', { class: 'blank', 'aria-hidden': 'true' }));
  }
  link.append(label(labels, page.language, { class: 'title' }));
  const notes = [kind === 'collection' ? page.say('collection') : '', line].filter(Boolean);
  const note = notes.length ? [make('p', { class: 'note' }, notes.join(' · '))] : [];
  return make('li', { class: 'card' }, link, ...note);
}

// Links to the pages of results before and after this one.
export function turn(query, found, page) {
  const links = [];
  if (query.page > 1) {
    const href = address({ ...query, page: query.page - 1 });
    links.push(make('a', { rel: 'prev', href }, `← ${page.say('previous')}`));
  }
  if (query.page * SHOWN < found) {
    const href = address({ ...query, page: query.page + 1 });
    links.push(make('a', { rel: 'next', href }, `${page.say('next')} →`));
  }
  return links;
}

// What the address of the page says: the text, filters, and the page of results.
export function readAddress(search) {
  const given = new URLSearchParams(search);
  const filters = given.getAll('in').map((one) => one.split(':', 2));
  return {
    text: given.get('q') ?? '',
    filters: filters.filter(([facet, value]) => facet && value),
    page: Math.max(1, Math.min(Number.parseInt(given.get('page') ?? '1', 10) || 1, 10_000)),
  };
}

export function address({ text, filters, page = 1 }) {
  const given = new URLSearchParams();
  if (text) given.set('q', text);
  for (const [facet, value] of filters) given.append('in', `${facet}:${value}`);
  if (page > 1) given.set('page', String(page));
  return `${location.pathname}?${given}`;
}
