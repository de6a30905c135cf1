// Builds the index of a rival: node search_rivals.mjs NAME FOLDER-WITH-NODE_MODULES OBJECTS.jsonl OUT
// Prints the seconds it took and the largest resident memory, in MiB, of it and its children.

import { createReadStream, mkdirSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { createInterface } from 'node:readline';

const [name, modules, objects, out] = process.argv.slice(2);
const module = (path) => import(pathToFileURL(`${modules}/node_modules/${path}`));
const SHARDS = 64;

async function* rows() {
  for await (const line of createInterface({ input: createReadStream(objects) })) {
    yield JSON.parse(line);
  }
}

const rivals = {
  async pagefind() {
    const { createIndex, close } = await module('pagefind/lib/index.js');
    const { index } = await createIndex();
    for await (const row of rows()) {
      const { errors } = await index.addCustomRecord({
        url: `/objects/${row.identifier}`,
        content: `${row.label}. ${row.text}`,
        language: row.language,
        meta: { title: row.label, line: row.line, image: row.thumbnail },
        filters: row.facets,
      });
      if (errors.length) throw new Error(errors.join());
    }
    const { errors } = await index.writeFiles({ outputPath: out });
    if (errors.length) throw new Error(errors.join());
    await close();
  },
  async minisearch() {
    const { default: MiniSearch } = await module('minisearch/dist/es/index.js');
    const options = { fields: ['label', 'text'], storeFields: ['label', 'line', 'thumbnail'] };
    const shards = Array.from({ length: SHARDS }, () => new MiniSearch(options));
    let number = 0;
    for await (const row of rows()) {
      shards[number % SHARDS].add({ ...row, id: row.identifier });
      number += 1;
    }
    mkdirSync(out, { recursive: true });
    shards.forEach((shard, place) =>
      writeFileSync(`${out}/${place}.json`, JSON.stringify(shard)),
    );
  },
};

await rivals[name]();
