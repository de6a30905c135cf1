// Reads the index that vitrine/search/titles/index.py writes: of many small files, those few that
// a query needs. Nothing is searched on a server.

import { splitWords } from './words.js';

const FOLDER = '/search/index/';
export const MAX_QUERY_LENGTH = 200; // characters
const MAX_WORDS = 8;
const MAX_PAIRS = 8; // of facet and value, by which similar objects are found
const MAX_CHUNKS = 6; // of words that begin with the last one
const MIN_BEGINNING_LENGTH = 3; // letters; one sign of scripts without spaces
const LEVELS = [6, 3, 1]; // what a word counts in a short title, a long one, elsewhere
const BEGINNING = 0.4; // what a word counts that only begins as the query's last one does
const ALLOWED = 1e-9; // what it counts to be in a filter's list: next to nothing
const NUMBERS = 2 ** 32; // of objects, at most
const ENCODER = new TextEncoder();

// There are no files yet: nothing was ever published, or the first update is still to come.
export class NoIndex extends Error {}

export class Index {
  #files = new Map();

  async query(text, filters = []) {
    const directory = await this.directory();
    const words = this.#significant(text.slice(0, MAX_QUERY_LENGTH), directory);
    if (!words.length && !filters.length) return { words, found: [] };
    const last = words.length - 1;
    const [matches, allowed] = await Promise.all([
      Promise.all(words.map((word, place) => this.#matches(directory, word, place === last))),
      Promise.all(filters.map(([facet, value]) => this.#listed(directory, facet, value))),
    ]);
    return { words, found: rank(matches, allowed) };
  }

  async directory() {
    const directory = await this.#read('directory.json');
    if (!directory) throw new NoIndex('there is no index yet');
    return directory;
  }

  // Cards of objects by number, null for one that is no longer published.
  async cards(numbers) {
    const { cards } = await this.directory();
    return Promise.all(
      Array.from(numbers, async (number) => {
        const file = await this.#read(`cards/${Math.floor(number / cards)}.json`);
        return (file && file[number % cards]) || null;
      }),
    );
  }

  // Cards of the objects that share most of these pairs of facet and value; rare ones count more.
  async similar(pairs, most) {
    const directory = await this.directory();
    const scores = new Map();
    for (const [facet, value] of pairs.slice(0, MAX_PAIRS)) {
      const [gaps = []] = await this.#postings(directory, `${facet}:${value}`);
      const rarity = Math.log(1 + directory.objects / (gaps.length || 1));
      let number = 0;
      for (const gap of gaps) {
        number += gap;
        scores.set(number, (scores.get(number) ?? 0) + rarity);
      }
    }
    const best = [...scores].sort((one, other) => other[1] - one[1] || one[0] - other[0]);
    return this.cards(best.slice(0, most).map(([number]) => number));
  }

  // The most frequent values of a facet: [slug, labels by language, count among the found].
  async counts(facet, found) {
    const file = await this.#read(`facets/${hex(facet)}.json`);
    if (!file) return { values: [], more: 0 };
    const among = new Set(found);
    const values = file.values
      .map(([slug, labels, gaps]) => {
        let [number, count] = [0, 0];
        for (const gap of gaps) if (among.has((number += gap))) count += 1;
        return [slug, labels, count];
      })
      .filter(([, , count]) => count > 0)
      .sort((one, other) => other[2] - one[2]);
    return { values, more: file.more };
  }

  // A value's labels by language, if it is one of the most frequent.
  async labels(facet, value) {
    const file = await this.#read(`facets/${hex(facet)}.json`);
    return file?.values.find(([slug]) => slug === value)?.[1] ?? null;
  }

  #significant(text, { ignored }) {
    const words = [...new Set(splitWords(text))].filter((word) => !ignored.includes(word));
    return words.slice(0, MAX_WORDS);
  }

  // Objects with a word, or with one of its stem; how much it counts in each.
  async #matches(directory, word, isLast) {
    const exact = await this.#stems(directory, word, word);
    const weighed = [[await this.#readPostings(directory, exact), 1]];
    const isLong = [...word].length >= MIN_BEGINNING_LENGTH || word.charCodeAt(0) > 0x2e7f;
    if (isLast && isLong) {
      const begun = await this.#stems(directory, word, `${word}\uffff`);
      const others = [...begun].filter((stem) => !exact.has(stem));
      weighed.push([await this.#readPostings(directory, others), BEGINNING]);
    }
    return score(directory.objects, weighed);
  }

  async #stems(directory, from, to) {
    const first = placeOf(directory.chunks, from);
    const last = Math.min(placeOf(directory.chunks, to), first + MAX_CHUNKS - 1);
    const stems = new Set();
    for (const chunk of await this.#chunks(directory, first, last)) {
      for (const [word, stem] of Object.entries(chunk.words)) {
        if (word >= from && word <= to) [stem].flat().forEach((one) => stems.add(one));
      }
      for (const stem of Object.keys(chunk.stems)) {
        // A word that is its own stem is not listed as a word.
        if (stem >= from && stem <= to && !stem.includes(':')) stems.add(stem);
      }
    }
    return stems;
  }

  #readPostings(directory, stems) {
    return Promise.all([...stems].map((stem) => this.#postings(directory, stem)));
  }

  async #listed(directory, facet, value) {
    const [gaps] = await this.#postings(directory, `${facet}:${value}`);
    return score(directory.objects, [[[[gaps ?? []]], ALLOWED]]);
  }

  async #postings(directory, stem) {
    const place = placeOf(directory.chunks, stem);
    const [chunk] = await this.#chunks(directory, place, place);
    return Object.hasOwn(chunk.stems, stem) ? chunk.stems[stem] : [];
  }

  async #chunks(directory, first, last) {
    const starts = directory.chunks.slice(first, last + 1);
    const read = starts.map((start) => this.#read(`words/${hex(start) || '0'}.json`));
    return (await Promise.all(read)).map((chunk) => chunk ?? { words: {}, stems: {} });
  }

  // A file's content, null if there is none; each is fetched once.
  #read(name) {
    if (!this.#files.has(name)) {
      const read = fetchJson(FOLDER + name);
      read.catch(() => this.#files.delete(name));
      this.#files.set(name, read);
    }
    return this.#files.get(name);
  }
}

async function fetchJson(address) {
  const answer = await fetch(address);
  if (answer.status === 404 || answer.status === 403) return null;
  if (!answer.ok) throw new Error(`${address} answers ${answer.status}`);
  return answer.json();
}

// The place of the last start that does not come behind the word.
function placeOf(starts, word) {
  let [low, high] = [0, starts.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (starts[middle] <= word) low = middle;
    else high = middle - 1;
  }
  return low;
}

// What each object of some lists counts, by its number, and the numbers, each once. `weighed` has
// pairs of the lists of several stems and a weight. An object counts once, by the most.
function score(objects, weighed) {
  const lists = weighed.flatMap(([stems]) => stems.flat());
  const ends = lists.map((gaps) => gaps.reduce((sum, gap) => sum + gap, 0));
  const scores = new Float32Array(1 + ends.reduce((one, other) => Math.max(one, other), 0));
  const numbers = [];
  for (const [stems, weight] of weighed) {
    for (const levels of stems) {
      const count = levels.reduce((sum, gaps) => sum + gaps.length, 0);
      const rarity = Math.log(1 + objects / (count || 1));
      levels.forEach((gaps, level) => {
        const counted = weight * rarity * LEVELS[level];
        let number = 0;
        for (const gap of gaps) {
          number += gap;
          if (!scores[number]) numbers.push(number);
          if (scores[number] < counted) scores[number] = counted;
        }
      });
    }
  }
  return { scores, numbers };
}

// Numbers of the objects with all words and filters, best first; of equals the lower number.
function rank(matches, allowed) {
  const lists = [...matches, ...allowed].sort((one, other) => one.numbers.length - other.numbers.length);
  const [smallest, ...others] = lists;
  // Numbers that are sorted without a function to compare them are sorted several times as fast.
  const found = new Float64Array(smallest.numbers.length);
  let count = 0;
  for (const number of smallest.numbers) {
    if (!others.every(({ scores }) => scores[number] > 0)) continue;
    const sum = lists.reduce((all, { scores }) => all + scores[number], 0);
    found[count++] = number - Math.round(sum * 1000) * NUMBERS;
  }
  return Uint32Array.from(found.subarray(0, count).sort(), (one) => one - Math.floor(one / NUMBERS) * NUMBERS);
}

function hex(text) {
  return Array.from(ENCODER.encode(text), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
