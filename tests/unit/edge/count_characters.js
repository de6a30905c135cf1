// Counts what a function executes for each event: the characters of its text, each as often as V8
// runs it, by V8's own coverage. The same event always has the same count. Events in as JSON on
// stdin, counts out.
const fs = require('node:fs');
const vm = require('node:vm');
const { Session } = require('node:inspector');

const NAME = 'function.js';
const text = fs.readFileSync(process.argv[2], 'utf8');
const handler = vm.runInNewContext(`${text};handler`, {}, NAME);
const session = new Session();
session.connect();

function ask(method, options) {
  let answer;
  session.post(`Profiler.${method}`, options, (error, result) => {
    if (error) throw new Error(error.message);
    answer = result;
  });
  return answer;
}

// A range within another has a count of its own.
function charactersOf(ranges) {
  return ranges.reduce((sum, range, index) => {
    const around = ranges.slice(0, index).reverse()
      .find((other) => other.startOffset <= range.startOffset && other.endOffset >= range.endOffset);
    const more = range.count - (around ? around.count : 0);
    return sum + (range.endOffset - range.startOffset) * more;
  }, 0);
}

function countOf(event) {
  ask('takePreciseCoverage');
  handler(event);
  const { functions } = ask('takePreciseCoverage').result.find((script) => script.url === NAME);
  return functions.reduce((sum, { ranges }) => sum + charactersOf(ranges), 0);
}

ask('enable');
ask('startPreciseCoverage', { callCount: true, detailed: true });
process.stdout.write(JSON.stringify(JSON.parse(fs.readFileSync(0, 'utf8')).map(countOf)));
