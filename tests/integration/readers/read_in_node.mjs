// Prints, as JSON by the names of their rows, how tools that run in Node read the documents of
// documents.py, which come as JSON on stdin. Its argument is the folder of the packages that are
// pinned here; the validator is one of the repository's own.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const pinned = createRequire(`${process.argv[2]}/package.json`);
const load = (name) => import(pathToFileURL(pinned.resolve(name)));
const documents = JSON.parse(readFileSync(0, 'utf8'));
const read = (name) => structuredClone(documents[name]);
const seen = {};
const both = (describe) => [3, 2].map((version) => `${version}: ${describe(version) ?? 'none'}`).join('; ');
const shorten = (address) => address?.replace('http://museum.test', '');

const manifesto = (await load('manifesto.js')).default;
const sequence = (version) => manifesto.parseManifest(read(`manifest ${version}`)).getSequences()[0];
seen['manifesto-start'] = both((version) => `canvas ${sequence(version).getStartCanvasIndex() + 1}`);
seen['manifesto-rights'] = both((version) => manifesto.parseManifest(read(`manifest ${version}`)).getLicense());
seen['manifesto-thumbnails'] = both((version) => shorten(sequence(version).getThumbs(90)[0].uri));
seen['manifesto-dates'] = both((version) => String(manifesto.parseManifest(read(`early ${version}`)).getNavDate()));

const { convertPresentation2 } = await load('@iiif/parser/presentation-2');
const upgraded = convertPresentation2(read('manifest 2'));
seen['parser-licence'] = `rights: ${upgraded.rights ?? 'none'}; start: ${shorten(upgraded.start?.id) ?? 'none'}`;

const images = await load('@iiif/helpers/image-service');
const candidates = (version) => images.getImageCandidatesFromService([read(`information ${version}`)]);
const pick = (version) => images.pickBestFromCandidates({ width: 200, height: 200 }, [() => candidates(version)]).best;
seen['helpers-sizes'] = both((version) => shorten(pick(version).id));
const most = (version) => images.getCustomSizeFromService(read(`information ${version}`))[0];
seen['helpers-limits'] = both((version) => `${most(version).maxWidth} x ${most(version).maxHeight}`);

const { IIIF, Image } = await load('@allmaps/iiif-parser');
const coarsest = (image) => image.getTileImageRequest(image.tileZoomLevels.at(-1), 0, 0);
const parsed = (version) => Image.parse(read(`information ${version}`));
seen['allmaps-tiles'] = both((version) => shorten(parsed(version).getImageUrl(coarsest(parsed(version)))));
seen['allmaps-services'] = both((version) => shorten(IIIF.parse(read(`manifest ${version}`)).canvases[0].image.uri));
seen['allmaps-dates'] = both((version) => IIIF.parse(read(`early ${version}`)).navDate);

const { Validator } = createRequire(import.meta.url)('@hyperion-framework/validator');
const judge = (name) => {
  const validator = new Validator({ allErrors: true });
  const isValid = validator.validateManifest(read(name));
  return isValid ? 'valid' : validator.validators.manifest.errors.map((one) => `${one.dataPath} ${one.message}`.trim()).join(', ');
};
seen['hyperion-dates'] = judge('early 3');
seen['hyperion-places'] = judge('placed 3');
seen['hyperion-heights'] = judge('flat 3');

console.log(JSON.stringify(seen));
