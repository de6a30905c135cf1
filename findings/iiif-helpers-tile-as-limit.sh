#!/bin/sh
# @iiif/helpers 1.6.1 (npm) computes from an info.json the largest size that may be requested. Of
# version 3 it takes the size of a tile for that, and passes over `maxWidth` and `maxHeight` (Image
# API 3.0, section 5.3); of version 2 it reads them. The same image is thus offered at 256 pixels
# and at 5,000.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --ignore-scripts --no-audit --no-fund @iiif/helpers@1.6.1
cat > read.mjs <<'JS'
import { readFileSync } from 'node:fs';
import { getCustomSizeFromService } from '@iiif/helpers/image-service';

const shape = { width: 8000, height: 6000, tiles: [{ width: 256, scaleFactors: [1, 2, 4, 8, 16, 32] }] };
const most = { maxWidth: 5000, maxHeight: 5000 };
const protocol = 'http://iiif.io/api/image';
const services = {
  3: { '@context': `${protocol}/3/context.json`, id: 'https://museum.example/3', type: 'ImageService3', protocol, profile: 'level2', ...shape, ...most },
  2: { '@context': `${protocol}/2/context.json`, '@id': 'https://museum.example/2', protocol, profile: [`${protocol}/2/level2.json`, most], ...shape },
};
console.log('version', JSON.parse(readFileSync('node_modules/@iiif/helpers/package.json', 'utf8')).version);
const found = Object.fromEntries(Object.entries(services).map(([version, service]) => [version, getCustomSizeFromService(service)[0].maxWidth]));
console.log('largest width by version of the API:', found);
if (found[3] !== 256 || found[2] !== 5000) throw new Error('this has changed: the largest width');
JS
node read.mjs
