// Every file on its way, and what to do about those that do not arrive.
import type { JSX } from 'preact';
import { DropZone } from '../parts/drop-zone';
import { UploadRow } from '../parts/upload-row';
import { UploadSummary } from '../parts/upload-summary';
import { type FoundFile, nameImages } from '../uploads/files';
import { addUploads, clearUploads, findMaster, uploads } from '../uploads/queue';
import type { Upload } from '../uploads/upload';
import { words as w } from '../words';

const MAX_SHOWN = 200;

export function UploadsPage(): JSX.Element {
  const ordered = [...uploads.value].sort((a, b) => Number(isGood(a)) - Number(isGood(b)));
  const add = (found: FoundFile[]): void => {
    const names = nameImages(found, '');
    addUploads(
      found.map(({ file, path }, number) => findMaster(file, { file, key: path, identifier: names[number] ?? '' }, ''))
    );
  };
  return (
    <>
      <h1>{w.uploads.title}</h1>
      <UploadSummary />
      <DropZone onFiles={add}>{w.uploads.drop}</DropZone>
      {uploads.value.some(isGood) && (
        <button type="button" onClick={() => clearUploads(isGood)}>
          {w.uploads.clear}
        </button>
      )}
      <ul class="uploads">
        {ordered.slice(0, MAX_SHOWN).map((upload) => (
          <UploadRow key={upload.note.key} upload={upload} />
        ))}
      </ul>
      {ordered.length > MAX_SHOWN && <p>{w.more(ordered.length - MAX_SHOWN)}</p>}
    </>
  );
}

function isGood(upload: Upload): boolean {
  return upload.state.value === 'published';
}
