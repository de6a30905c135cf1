// More like this: objects that share most with the one on the page, found when somebody scrolls
// to them. What the page is listed by stands in its links to lists.

import { Index } from '../search/index.js';
import { card, make } from '../search/results.js';

const SHOWN = 4;
const DISTANCE = '800px 0px'; // below the screen, at which the search begins

const section = document.querySelector('[data-similar]');
const own = section.dataset.similar;
const page = {
  language: document.documentElement.lang,
  suffix: section.dataset.suffix,
  say: () => section.dataset.collection,
};

function listedBy() {
  const links = document.querySelectorAll('.facts a[href^="/browse/"]');
  const pairs = Array.from(links, (link) => new URL(link.href).pathname.split('/').slice(2, 4));
  return pairs.map((pair) => pair.map(decodeURIComponent));
}

async function show() {
  const index = new Index();
  const found = await index.similar(listedBy(), SHOWN + 1);
  const others = found.filter((one) => one && one[1] !== own).slice(0, SHOWN);
  const cards = others.map((one) => card(one, page, SHOWN));
  section.querySelector('.cards').replaceChildren(...cards);
  if (!cards.length) section.append(make('p', { class: 'note' }, section.dataset.none));
}

const observer = new IntersectionObserver(
  (entries) => {
    if (!entries.some((entry) => entry.isIntersecting)) return;
    observer.disconnect();
    show();
  },
  { rootMargin: DISTANCE },
);
observer.observe(section);
