// Asks the site's own search: `node ask_files.js FOLDER`, visits as JSON on standard input. Each is
// a list of queries of one page; the answers, in the same order, say what each query took.

import { readFileSync } from 'node:fs';
import { argv, cpuUsage, stdin } from 'node:process';
import { brotliCompressSync, constants } from 'node:zlib';

import { Index } from '../../../site/search/index.js';

const SHOWN = 20;
const AS_AT_THE_EDGE = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };
let read = [];

globalThis.fetch = async (name) => {
  try {
    const body = readFileSync(argv[2] + name);
    read.push([name, body]);
    return { ok: true, status: 200, json: async () => JSON.parse(body) };
  } catch {
    return { ok: false, status: 404 };
  }
};

async function ask(index, query) {
  read = [];
  const before = cpuUsage();
  const { found } = await index.query(query);
  await index.cards(found.slice(0, SHOWN));
  const { user, system } = cpuUsage(before);
  return {
    found: [...found],
    cpu_ms: (user + system) / 1000,
    requests: read.length,
    card_requests: read.filter(([name]) => name.includes('/cards/')).length,
    bytes: read.reduce((sum, [, body]) => sum + brotliCompressSync(body, AS_AT_THE_EDGE).length, 0),
  };
}

async function visit(queries) {
  const index = new Index();
  const answers = [];
  for (const query of queries) answers.push(await ask(index, query));
  return answers;
}

let text = '';
for await (const part of stdin) text += part;
const visits = JSON.parse(text);
for (const queries of visits) await visit(queries); // what a process compiles only once
const answers = [];
for (const queries of visits) answers.push(await visit(queries));
console.log(JSON.stringify(answers));
