// What a page does with each index: `window.search(text)` resolves to the number of results once
// the first twenty are on the page, and to the milliseconds until then and until the first four
// were. The address names the index: ?ours, ?pagefind, ?minisearch.

const FIRST = 4;
const SHOWN = 20;
const name = location.search.slice(1);

const searches = {
  async ours() {
    // As the page's head does: the directory comes with the script.
    const ahead = { rel: 'preload', as: 'fetch', crossOrigin: '', href: '/search/index/directory.json' };
    document.head.append(Object.assign(document.createElement('link'), ahead));
    const { Index } = await import('/search/index.js');
    const index = new Index();
    return async (text) => {
      const { found } = await index.query(text);
      const titles = async (from, to) =>
        (await index.cards(found.slice(from, to))).map((card) => Object.values(card[2])[0]);
      return [found.length, await titles(0, FIRST), () => titles(FIRST, SHOWN)];
    };
  },
  async pagefind() {
    const pagefind = await import('/pagefind/pagefind.js');
    await pagefind.options({ excerptLength: 10 });
    await pagefind.init();
    return async (text) => {
      const { results } = await pagefind.search(text);
      const shown = await Promise.all(results.slice(0, SHOWN).map((one) => one.data()));
      return [results.length, shown.map((one) => one.meta.title)];
    };
  },
  async minisearch() {
    const { default: MiniSearch } = await import('/modules/minisearch/dist/es/index.js');
    const options = { fields: ['label', 'text'], storeFields: ['label', 'line', 'thumbnail'] };
    const shards = await Promise.all(
      Array.from({ length: 64 }, async (_, place) => {
        const answer = await fetch(`/minisearch/${place}.json`);
        return MiniSearch.loadJS(await answer.json(), options);
      }),
    );
    return async (text) => {
      const how = { prefix: true, combineWith: 'AND' };
      const found = shards.flatMap((shard) => shard.search(text, how));
      found.sort((one, other) => other.score - one.score);
      return [found.length, found.slice(0, SHOWN).map((one) => one.label)];
    };
  },
};

const items = (labels) =>
  labels.map((label) => {
    const item = document.createElement('li');
    item.textContent = label;
    return item;
  });

let prepared;
window.search = async (text) => {
  const began = performance.now();
  prepared ??= searches[name]();
  const [found, labels, others] = await (await prepared)(text);
  const list = document.querySelector('ol');
  list.replaceChildren(...items(labels));
  const first = performance.now() - began;
  if (others) list.append(...items(await others()));
  return { found, first, milliseconds: performance.now() - began, shown: list.children.length };
};
