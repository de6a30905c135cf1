// An image that is not there: why, and the place for its file.
import type { JSX } from 'preact';
import type { ObjectRecord } from '../records/types';
import { collectionFolder } from '../uploads/files';
import { uploads } from '../uploads/queue';
import { rejections } from '../uploads/rejections';
import { words as w } from '../words';
import { NewFile } from './new-file';

interface MissingImageProps {
  image: string;
  record: ObjectRecord;
  onPublished?: () => void;
}

export function MissingImage({ image, record, onPublished }: MissingImageProps): JSX.Element {
  const rejected = rejections.value.get(image);
  const sent = uploads.value.find(({ note }) => note.identifier === image);
  const folder = record.part_of?.[0] ? collectionFolder(record.part_of[0]) : '';
  return (
    <>
      {rejected ? <p class="fault">{rejected.sentence}</p> : <p>{w.image.none}</p>}
      {rejected?.advice && <p>{rejected.advice}</p>}
      <NewFile
        image={image}
        masterKey={(extension) => rejected?.key ?? sent?.note.key ?? `${folder}${image}${extension}`}
        {...(onPublished ? { onPublished } : {})}
      >
        {w.image.noneAbout}
      </NewFile>
    </>
  );
}
