// How far all uploads are, in a line.
import type { JSX } from 'preact';
import { pageAddress, route } from '../route';
import { uploadCounts, uploads } from '../uploads/queue';
import { words as w } from '../words';

export function UploadSummary(): JSX.Element | null {
  const count = uploads.value.length;
  if (!uploads.value.some((one) => one.file || one.state.value !== 'published')) {
    return null; // all are of an earlier visit
  }
  const counts = uploadCounts.value;
  const done = counts.get('published') ?? 0;
  const trouble = (['rejected', 'failed', 'refused', 'exists', 'interrupted'] as const).reduce(
    (sum, state) => sum + (counts.get(state) ?? 0),
    0
  );
  return (
    <div class="upload-summary">
      <progress max={count} value={done + trouble} aria-label={w.uploads.title} />
      <p role="status">
        {w.uploads.summary(done, count)}{' '}
        {(counts.get('offline') ?? 0) > 0 && <strong class="fault">{w.uploads.offline} </strong>}
        {trouble > 0 && <span class="fault">{w.uploads.trouble(trouble)} </span>}
        {route.value.page !== 'uploads' && <a href={pageAddress('uploads')}>{w.uploads.see}</a>}
      </p>
    </div>
  );
}
