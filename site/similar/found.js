// The objects that share most with the one on the page. What that is listed by stands in its links
// to lists.

import { Index } from '../search/index.js';
import { card, make } from '../search/results.js';

const SHOWN = 4;

function listedBy() {
  const links = document.querySelectorAll('.facts a[href^="/browse/"]');
  const pairs = Array.from(links, (link) => new URL(link.href).pathname.split('/').slice(2, 4));
  return pairs.map((pair) => pair.map(decodeURIComponent));
}

export async function show(section) {
  const page = {
    language: document.documentElement.lang,
    suffix: section.dataset.suffix,
    say: () => section.dataset.collection,
  };
  const index = new Index();
  const found = await index.similar(listedBy(), SHOWN + 1);
  const others = found.filter((one) => one && one[1] !== section.dataset.similar).slice(0, SHOWN);
  const cards = others.map((one) => card(one, page, SHOWN));
  section.querySelector('.cards').replaceChildren(...cards);
  if (!cards.length) section.append(make('p', { class: 'note' }, section.dataset.none));
}
