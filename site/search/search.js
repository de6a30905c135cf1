// The page that searches. What it says and where it shows it stands in search.html.

import { chosen, narrow } from './facets.js';
import { Index, NoIndex } from './index.js';
import { EAGER, SHOWN, address, card, readAddress, turn } from './results.js';
import { Texts } from './texts.js';

const PAUSE = 150; // milliseconds without a key, after which results follow what is typed
const LONGER_PAUSE = 450; // more of them, after which a server is asked for texts

const section = document.querySelector('[data-results]');
const form = document.querySelector('form.search');
const input = form.querySelector('input');
const language = document.documentElement.lang;
const words = JSON.parse(section.dataset.words);
const numbers = new Intl.NumberFormat(language);
const page = {
  language,
  suffix: section.dataset.suffix,
  number: (count) => numbers.format(count),
  say: (name, values = {}) => words[name].replace(/\{(\w+)\}/g, (whole, key) => values[key] ?? whole),
  input,
  tell: sayTexts, // in the status, what texts say of a query
};
const place = Object.fromEntries(
  ['status', 'chosen', 'narrow', 'cards', 'turn'].map((name) => [
    name,
    section.querySelector(name === 'status' ? '[role=status]' : `.${name}`),
  ]),
);
const index = new Index();
const texts = new Texts(document.querySelector('[data-texts]'), page);
const said = { titles: '', texts: '' };
let latest = 0;

// Show what a query finds, unless another one was asked meanwhile.
async function show(query, pause = 0) {
  const turnOf = (latest += 1);
  Object.assign(said, { titles: '', texts: '' });
  const textsShown = showTexts(query, pause);
  try {
    const { facets } = await index.directory();
    const { found } = await index.query(query.text, query.filters);
    const first = (query.page - 1) * SHOWN;
    const [top, rest] = [found.slice(first, first + EAGER), found.slice(first + EAGER, first + SHOWN)];
    const cards = await index.cards(top);
    if (turnOf !== latest) return;
    place.cards.start = first + 1;
    place.cards.replaceChildren(...shown(cards, 0));
    const lists = found.length ? narrow(index, facets, query, found, page) : [];
    place.narrow.replaceChildren(...lists);
    say(count(query, found.length));
    // What is further down does not keep the first screen waiting.
    const others = await index.cards(rest);
    if (turnOf !== latest) return;
    place.cards.append(...shown(others, EAGER));
    place.turn.replaceChildren(...turn(query, found.length, page));
    // The names of values stand in files that no result needs.
    const links = await chosen(index, facets, query, page);
    await textsShown;
    if (turnOf !== latest) return;
    place.chosen.replaceChildren(...links);
    settle();
  } catch (error) {
    if (turnOf !== latest) return;
    sayFailure(error);
    if (!(error instanceof NoIndex)) throw error;
  }
}

// Texts have no facets, and stand next to the first page of results.
async function showTexts({ text, filters, page: number }, pause) {
  const sentence = await texts.show(filters.length || number > 1 ? '' : text.trim(), pause);
  if (sentence !== null) sayTexts(sentence);
}

function sayTexts(sentence) {
  said.texts = sentence;
  if (said.titles) say(said.titles);
}

function shown(cards, from) {
  return cards.map((one, place) => one && card(one, page, from + place)).filter(Boolean);
}

function count({ text, filters }, found) {
  const query = text.trim();
  if (!query && !filters.length) return page.say('result_ask');
  if (!found) return page.say('result_none', { query });
  const name = query ? 'result' : 'listed';
  return page.say(found === 1 ? `${name}_one` : `${name}_many`, { query, count: page.number(found) });
}

function sayFailure(error) {
  say(page.say(error instanceof NoIndex ? 'search_unbuilt' : 'search_trouble'));
  settle();
}

function say(titles) {
  said.titles = titles;
  place.status.textContent = [titles, said.texts].filter(Boolean).join(' ');
}

// What stands below the results is seen from now on: nothing moves it any more.
function settle() {
  section.dataset.settled = '';
}

function typed() {
  const query = { ...readAddress(location.search), text: input.value, page: 1 };
  history.replaceState(null, '', address(query));
  show(query, LONGER_PAUSE);
}

let pause = 0;
input.addEventListener('input', () => {
  clearTimeout(pause);
  pause = setTimeout(typed, PAUSE);
});
form.addEventListener('submit', (event) => {
  event.preventDefault();
  clearTimeout(pause);
  typed();
});
window.addEventListener('popstate', begin);

function begin() {
  const query = readAddress(location.search);
  input.value = query.text;
  if (query.text || query.filters.length) {
    show(query);
    return;
  }
  settle();
  index.directory().catch((error) => error instanceof NoIndex && sayFailure(error));
}

section.hidden = false;
begin();
