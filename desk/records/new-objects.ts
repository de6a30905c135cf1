// Objects made of files: each a draft with a title from the file's name, while its image is sent.
import { type FoundFile, collectionFolder, nameImages, titleOf } from '../uploads/files';
import { showFiles } from '../uploads/pictures';
import { addUploads, findMaster } from '../uploads/queue';
import { currentRecord, editRecords, holdImages } from './drafts';
import type { ObjectRecord } from './types';

export interface NewObjects {
  collection: string;
  language: string;
  rights: string;
  /** True if the collection's identifier goes before that of each image. */
  isPrefixed: boolean;
  /** True if nobody sees the images before their objects are published. */
  isHeld: boolean;
}

/** Send files, and make an object of each that is none yet. */
export function makeObjects(found: readonly FoundFile[], options: NewObjects): void {
  const { collection, language, rights, isPrefixed } = options;
  const names = nameImages(found, isPrefixed ? collection : '');
  const folder = collectionFolder(collection);
  const masters = found.map(({ file, path }, number) => {
    const key = folder + path.replace(/[\p{Cc}\p{Cs}]/gu, '');
    return findMaster(file, { file, key, identifier: names[number] ?? '' }, folder);
  });
  showFiles(masters.map(({ file, identifier }) => [identifier, file]));
  const records = masters
    .filter(({ identifier }) => !currentRecord(identifier))
    .map(
      ({ file, identifier }): ObjectRecord => ({
        type: 'object',
        identifier,
        label: { [language]: [titleOf(file.name)] },
        part_of: [collection],
        ...(rights ? { rights } : {}),
        canvases: [{ image: identifier }]
      })
    );
  editRecords(...records);
  if (options.isHeld) {
    records.forEach(({ identifier }) => holdImages(identifier, [identifier]));
  }
  addUploads(masters);
}
