// More images for an object: files from this computer.
import type { JSX } from 'preact';
import { holdImages } from '../records/drafts';
import type { ObjectRecord } from '../records/types';
import { type FoundFile, collectionFolder, nameImages } from '../uploads/files';
import { isRestricted } from '../uploads/held-images';
import { showFiles } from '../uploads/pictures';
import { addUploads } from '../uploads/queue';
import { words as w } from '../words';
import { DropZone } from './drop-zone';

interface AddImagesProps {
  record: ObjectRecord;
  onAdd: (images: string[]) => void;
}

export function AddImages({ record, onAdd }: AddImagesProps): JSX.Element {
  const add = async (found: FoundFile[]): Promise<void> => {
    const isHeld = await isRestricted(record);
    const folder = record.part_of?.[0] ? collectionFolder(record.part_of[0]) : '';
    const names = nameImages(found, record.identifier);
    const masters = found.map(({ file }, number) => ({
      file,
      identifier: names[number] ?? '',
      key: `${folder}${names[number]}${/\.[^.]+$/.exec(file.name)?.[0] ?? ''}`
    }));
    showFiles(masters.map(({ file, identifier }) => [identifier, file]));
    const added = names.filter((name) => !record.canvases.some(({ image }) => image === name));
    onAdd(added);
    if (isHeld) {
      holdImages(record.identifier, added);
    }
    addUploads(masters);
  };
  return <DropZone onFiles={add}>{w.object.addImages}</DropZone>;
}
