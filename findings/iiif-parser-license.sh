#!/bin/sh
# @iiif/parser 2.2.10 (npm) upgrades manifests of Presentation 2.1 to version 3. The `license` of a
# manifest (2.1, section 3.3) is lost on the way: the result has no `rights` (3.0, section 3.1), so
# viewers built on it show no licence. `startCanvas`, `navDate` and `attribution` are kept.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --ignore-scripts --no-audit --no-fund @iiif/parser@2.2.10
cat > read.mjs <<'JS'
import { readFileSync } from 'node:fs';
import { convertPresentation2 } from '@iiif/parser/presentation-2';

const place = 'https://museum.example/manifest';
const canvas = { '@id': `${place}/canvas`, '@type': 'sc:Canvas', label: '1', width: 30, height: 20, images: [] };
const upgraded = convertPresentation2({
  '@context': 'http://iiif.io/api/presentation/2/context.json',
  '@id': place,
  '@type': 'sc:Manifest',
  label: 'A manifest',
  license: 'http://creativecommons.org/licenses/by/4.0/',
  attribution: 'A museum',
  navDate: '1642-01-01T00:00:00Z',
  sequences: [{ '@type': 'sc:Sequence', startCanvas: canvas['@id'], canvases: [canvas] }],
});
console.log('version', JSON.parse(readFileSync('node_modules/@iiif/parser/package.json', 'utf8')).version);
console.log(Object.fromEntries(['rights', 'requiredStatement', 'navDate', 'start'].map((name) => [name, upgraded[name]])));
const isAsDescribed = upgraded.rights === undefined && upgraded.navDate && upgraded.start && upgraded.requiredStatement;
if (!isAsDescribed) throw new Error('this has changed: what is lost in the upgrade');
JS
node read.mjs
