// One file on its way, and what somebody has to decide about it.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { addUploads, clearUploads, replaceMaster } from '../uploads/queue';
import type { Upload } from '../uploads/upload';
import { formatBytes, words as w } from '../words';
import { TextField } from './fields';
import { NewFile } from './new-file';

export function UploadRow({ upload }: { upload: Upload }): JSX.Element {
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

/** A mended file can come, or the same file with another identifier. */
function TryAgain({ upload }: { upload: Upload }): JSX.Element {
  const [identifier, setIdentifier] = useState(upload.note.identifier);
  const { file, note } = upload;
  return (
    <>
      <NewFile image={note.identifier} masterKey={() => note.key}>
        {w.failures.upload}
      </NewFile>
      <div class="in-line">
        {file && <TextField label={w.uploads.identifier} value={identifier} onChange={setIdentifier} />}
        {file && (
          <button type="button" onClick={() => addUploads([{ file, key: note.key, identifier, mayReplace: true }])}>
            {w.uploads.again}
          </button>
        )}
        <button type="button" onClick={() => clearUploads((one) => one === upload)}>
          {w.uploads.dismiss}
        </button>
      </div>
    </>
  );
}
