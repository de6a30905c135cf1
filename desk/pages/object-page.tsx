// One object: its description, its images with their alternative texts, and what can be done with it.
import type { JSX } from 'preact';
import { HistoryPanel } from '../parts/history-panel';
import { IdentityPanels } from '../parts/identity-panels';
import { PreviewPanel } from '../parts/preview-panel';
import { PublishBar } from '../parts/publish-bar';
import { RecordHeader, RefusedRecord } from '../parts/record-header';
import { DescriptionFields } from '../parts/description-fields';
import { CanvasList } from '../parts/canvas-list';
import { useFaultFocus } from '../parts/fault-link';
import { ConflictNotice } from '../parts/conflict';
import { editRecords } from '../records/drafts';
import type { ObjectRecord } from '../records/types';
import { useRecord } from '../records/use-record';
import { words as w } from '../words';

export function ObjectPage({ name }: { name: string }): JSX.Element {
  const { record, known, draft, refused } = useRecord('objects', name);
  useFaultFocus(name);
  if (refused) {
    return <RefusedRecord kind="objects" name={name} refused={refused} />;
  }
  if (!record || record.type !== 'object') {
    return <p role="status">{w.loading}</p>;
  }
  const edit = (changed: ObjectRecord): void => editRecords(changed);
  return (
    <>
      <RecordHeader record={record} known={known} draft={draft} />
      {draft?.conflict && <ConflictNotice draft={draft} />}
      <div class="object-editor">
        <section aria-labelledby="images-title">
          <h2 id="images-title">{w.object.images}</h2>
          <CanvasList record={record} known={known} onChange={edit} />
        </section>
        <section aria-labelledby="description-title">
          <h2 id="description-title">{w.object.description}</h2>
          <DescriptionFields record={record} onChange={(changed) => edit(changed as ObjectRecord)} />
        </section>
      </div>
      <PreviewPanel record={record} />
      <HistoryPanel kind="objects" name={name} />
      {known && <IdentityPanels kind="objects" known={known} />}
      <PublishBar chosen={draft ? [draft] : []} />
    </>
  );
}
