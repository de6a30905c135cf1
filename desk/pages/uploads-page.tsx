// Every file on its way, and what to do about those that do not arrive.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { DropZone } from '../parts/drop-zone';
import { TextField } from '../parts/fields';
import { UploadSummary } from '../parts/upload-summary';
import { type FoundFile, nameImages } from '../uploads/files';
import { addUploads, clearUploads, findMaster, replaceMaster, uploads } from '../uploads/queue';
import type { Upload } from '../uploads/upload';
import { formatBytes, words as w } from '../words';

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

function UploadRow({ upload }: { upload: Upload }): JSX.Element {
  const { note } = upload;
  const state = upload.state.value;
  const ingest = upload.ingest.value;
  const image = ingest?.identifier ?? note.identifier;
  return (
    <li>
      <p>
        <strong>{note.name}</strong> <span class={`badge ${state}`}>{w.uploads.states[state]}</span>{' '}
        <span class="note">
          {formatBytes(note.size)} · {image}
        </span>
      </p>
      {state === 'sending' && <progress max={note.size} value={upload.sentBytes.value} aria-label={note.name} />}
      {upload.reason.value && <p class="fault">{upload.reason.value}</p>}
      {ingest?.advice && <p>{ingest.advice}</p>}
      {state === 'interrupted' && <p>{w.uploads.interrupted}</p>}
      {state === 'exists' && (
        <>
          <p>{w.uploads.exists(image)}</p>
          <div class="buttons">
            <button type="button" onClick={() => replaceMaster(upload)}>
              {w.uploads.replace}
            </button>
            <button type="button" onClick={() => clearUploads((one) => one === upload)}>
              {w.uploads.leave}
            </button>
          </div>
        </>
      )}
      {(state === 'rejected' || state === 'refused' || state === 'failed') && <TryAgain upload={upload} />}
      {ingest?.notes?.map((text) => (
        <p class="note" key={text}>
          {text}
        </p>
      ))}
    </li>
  );
}

/** A file that was rejected for its name can come with another identifier. */
function TryAgain({ upload }: { upload: Upload }): JSX.Element {
  const [identifier, setIdentifier] = useState(upload.note.identifier);
  const { file, note } = upload;
  const leave = (
    <button type="button" onClick={() => clearUploads((one) => one === upload)}>
      {w.uploads.dismiss}
    </button>
  );
  if (!file) {
    return <div class="buttons">{leave}</div>;
  }
  const again = (): void => void addUploads([{ file, key: note.key, identifier, mayReplace: true }]);
  return (
    <div class="in-line">
      <TextField label={w.uploads.identifier} value={identifier} onChange={setIdentifier} />
      <button type="button" onClick={again}>
        {w.uploads.again}
      </button>
      {leave}
    </div>
  );
}

