// Where one is, the title, and how far an object or collection is.
import type { JSX } from 'preact';
import { Refused } from '../api/client';
import type { Kind } from '../api/operations';
import type { Draft, Known } from '../records/drafts';
import { readTitle } from '../records/texts';
import type { AnyRecord } from '../records/types';
import { pageAddress } from '../route';
import { lacksRejected } from '../uploads/rejections';
import { explain, words as w } from '../words';
import { HistoryPanel } from './history-panel';

export function RecordHeader(props: {
  record: AnyRecord;
  known: Known | undefined;
  draft: Draft | undefined;
}): JSX.Element {
  const { record, known, draft } = props;
  const state = draft?.restores ? 'withdrawn' : lacksRejected(record, known?.missing) ? 'rejected' : (known?.state ?? 'new');
  const path = record.type === 'object' ? 'objects' : 'collections';
  return (
    <header class="record-header">
      <nav class="breadcrumb" aria-label={w.breadcrumb}>
        <ol>
          <li>
            <a href={pageAddress('home')}>{w.home.title}</a>
          </li>
          {record.part_of?.map((name) => (
            <li key={name}>
              <a href={pageAddress('collections', name)}>{name}</a>
            </li>
          ))}
        </ol>
      </nav>
      <h1>{readTitle(record)}</h1>
      <p class="state">
        <span class={`badge ${state}`}>{w.states[state] ?? state}</span>
        {known && <span>{w.version(known.revision)}</span>}
        {draft && <span class="badge draft">{w.states.draft}</span>}
        <code>{record.identifier}</code>
        {known?.state === 'published' && (
          <a href={`/${path}/${encodeURIComponent(record.identifier)}`} target="_blank" rel="noopener">
            {w.seeOnSite}
          </a>
        )}
      </p>
    </header>
  );
}

/** What is said of a record that cannot be read, with the way back where there is one. */
export function RefusedRecord({ kind, name, refused }: { kind: Kind; name: string; refused: unknown }): JSX.Element {
  const isGone = refused instanceof Refused && refused.code === 'object-gone';
  return (
    <>
      <h1>{name}</h1>
      {isGone ? (
        <>
          <p class="state">
            <span class="badge withdrawn">{w.states.withdrawn}</span>
          </p>
          <p class="lead">{w.withdrawn(refused.message)}</p>
          <p>{w.bringBackHow}</p>
          <HistoryPanel kind={kind} name={name} isOpen />
        </>
      ) : (
        <p role="alert">{explain(refused)}</p>
      )}
    </>
  );
}
