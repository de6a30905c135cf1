// How far uploads are, in a line, and below it those that somebody has to decide about.
import type { JSX } from 'preact';
import { pageAddress, route } from '../route';
import { uploads } from '../uploads/queue';
import type { UploadState } from '../uploads/upload';
import { words as w } from '../words';
import { UploadRow } from './upload-row';

const TROUBLE: readonly UploadState[] = ['rejected', 'failed', 'refused', 'exists', 'interrupted'];
const MAX_SHOWN = 10;

/** Say how far the uploads into a folder are; '' is all of them. */
export function UploadSummary({ folder = '' }: { folder?: string }): JSX.Element | null {
  const found = uploads.value.filter(({ note }) => note.key.startsWith(folder));
  if (!found.some((one) => one.file || one.state.value !== 'published')) {
    return null; // all are of an earlier visit
  }
  const done = found.filter(({ state }) => state.value === 'published').length;
  const trouble = found.filter(({ state }) => TROUBLE.includes(state.value));
  const decisions = folder ? trouble.filter(({ state }) => state.value !== 'interrupted').slice(0, MAX_SHOWN) : [];
  return (
    <div class="upload-summary">
      <progress max={found.length} value={done + trouble.length} aria-label={w.uploads.title} />
      <p role="status">
        {w.uploads.summary(done, found.length)}{' '}
        {found.some(({ state }) => state.value === 'offline') && <strong class="fault">{w.uploads.offline} </strong>}
        {trouble.length > 0 && <span class="fault">{w.uploads.trouble(trouble.length)} </span>}
        {route.value.page !== 'uploads' && <a href={pageAddress('uploads')}>{w.uploads.see}</a>}
      </p>
      {decisions.length > 0 && (
        <ul class="uploads">
          {decisions.map((upload) => (
            <UploadRow key={upload.note.key} upload={upload} />
          ))}
        </ul>
      )}
    </div>
  );
}
