// Times handlers of the edge in V8: on stdin rounds, calls and cases, each a function's text, the
// key-value store and an event; out come the microseconds of a call, by round and case.
const fs = require('node:fs');
const { load } = require('../unit/edge/edge_functions.js');

const input = JSON.parse(fs.readFileSync(0, 'utf8'));
const handlers = Object.fromEntries(
  Object.entries(input.functions).map(([name, text]) => [name, load(text, input.store)])
);

async function microseconds(one) {
  const handler = handlers[one.function];
  const events = Array.from({ length: input.calls }, () => structuredClone(one.event));
  const begun = process.hrtime.bigint();
  for (const event of events) {
    const verdict = await handler(event);
    if ((verdict.statusCode || 200) !== one.status) {
      throw new Error(`${one.name}: ${verdict.statusCode}`);
    }
  }
  return Number(process.hrtime.bigint() - begun) / 1000 / input.calls;
}

async function main() {
  const rounds = [];
  for (let round = -1; round < input.rounds; round++) {
    const times = {};
    for (const one of input.cases) {
      times[one.name] = await microseconds(one);
    }
    if (round >= 0) {
      rounds.push(times); // the first one warms up
    }
  }
  process.stdout.write(JSON.stringify(rounds));
}

main();
