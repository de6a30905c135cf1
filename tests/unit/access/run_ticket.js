// Verifies tickets as CloudFront would: cases in as JSON on stdin, their claims out.
const fs = require('node:fs');
const vm = require('node:vm');

const source = fs.readFileSync(process.argv[2], 'utf8').replace(/^import .*$/gm, '');
const verifyTicket = vm.runInNewContext(`${source};verifyTicket`, {
  crypto: require('node:crypto'),
  Buffer: Buffer
});
const cases = JSON.parse(fs.readFileSync(0, 'utf8'));
const run = (item) =>
  verifyTicket(item.text, async (key) => new Map(Object.entries(item.keys)).get(key), item.now, item.address);
Promise.all(cases.map(run)).then((claims) => process.stdout.write(JSON.stringify(claims)));
