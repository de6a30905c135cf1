// Facets next to results: which values they have, counted when a visitor asks, and those chosen.

import { address, choose, label, make } from './results.js';

// A list for each facet; its values are counted when it is opened.
export function narrow(index, facets, query, found, page) {
  const chosen = new Set(query.filters.map(([facet]) => facet));
  return facets
    .filter(([facet]) => !chosen.has(facet))
    .map(([facet, labels]) => {
      const values = make('ul');
      const details = make('details', {}, make('summary', {}, label(labels, page.language)), values);
      details.addEventListener('toggle', () => fill(index, facet, query, found, page, values), {
        once: true,
      });
      return details;
    });
}

async function fill(index, facet, query, found, page, list) {
  const { values, more } = await index.counts(facet, found);
  for (const [value, labels, count] of values) {
    const href = address({ ...query, page: 1, filters: [...query.filters, [facet, value]] });
    const link = make('a', { href }, label(labels, page.language));
    list.append(make('li', {}, link, ' ', make('span', { class: 'note' }, page.number(count))));
  }
  if (!values.length) list.append(make('li', { class: 'note' }, page.say('facet_none')));
  if (more) {
    const list = facet === 'part-of' ? '' : `/${encodeURIComponent(facet)}`;
    const href = `/browse${list}${list ? page.suffix.replace('/', '/_/') : page.suffix}`;
    list.append(make('li', {}, make('a', { href }, page.say('facet_more'))));
  }
}

// A link for each chosen value, which removes it.
export async function chosen(index, facets, query, page) {
  const names = new Map(facets);
  return Promise.all(
    query.filters.map(async ([facet, value]) => {
      const title = names.has(facet) ? choose(names.get(facet), page.language)[0] : facet;
      const labels = await index.labels(facet, value);
      const shown = labels ? choose(labels, page.language)[0] : value;
      const others = query.filters.filter(([one, other]) => one !== facet || other !== value);
      const said = page.say('facet_remove', { facet: title, value: shown });
      const href = address({ ...query, page: 1, filters: others });
      const link = make('a', { href, 'aria-label': said }, `${title}: ${shown} ×`);
      return make('li', {}, link);
    }),
  );
}
