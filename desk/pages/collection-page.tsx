// One collection: its objects as a table, its own description, and what can be done with it.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { ObjectGrid } from '../grid/object-grid';
import { Action, Panel } from '../parts/action';
import { ConflictNotice } from '../parts/conflict';
import { DescriptionFields } from '../parts/description-fields';
import { DropZone } from '../parts/drop-zone';
import { TextField } from '../parts/fields';
import { HistoryPanel } from '../parts/history-panel';
import { IdentityPanels } from '../parts/identity-panels';
import { PreviewPanel } from '../parts/preview-panel';
import { PublishBar } from '../parts/publish-bar';
import { RecordHeader, RefusedRecord } from '../parts/record-header';
import { UploadSummary } from '../parts/upload-summary';
import { draftsOf, editRecords } from '../records/drafts';
import { makeObjects } from '../records/new-objects';
import { languageOf } from '../records/texts';
import type { CollectionRecord } from '../records/types';
import { type Members, useMembers } from '../records/use-members';
import { useRecord } from '../records/use-record';
import { bringBackMembers } from '../records/whole-collection';
import { pageAddress } from '../route';
import { type FoundFile, areCameraNames, collectionFolder } from '../uploads/files';
import { isRestricted } from '../uploads/held-images';
import { explain, words as w } from '../words';

export function CollectionPage({ name }: { name: string }): JSX.Element {
  const { record, known, draft, refused } = useRecord('collections', name);
  if (refused) {
    return <RefusedRecord kind="collections" name={name} refused={refused} />;
  }
  if (!record || record.type !== 'collection') {
    return <p role="status">{w.loading}</p>;
  }
  return (
    <>
      <RecordHeader record={record} known={known} draft={draft} />
      {draft?.conflict && <ConflictNotice draft={draft} />}
      <Objects key={name} record={record} isPublished={Boolean(known)} isBack={Boolean(draft?.restores)} />
      <Panel title={w.collection.description}>
        {() => <DescriptionFields record={record} onChange={(changed) => editRecords(changed)} />}
      </Panel>
      <PreviewPanel record={record} />
      <HistoryPanel kind="collections" name={name} />
      {known && <IdentityPanels kind="collections" known={known} />}
      <PublishBar chosen={draftsOf(name)} />
    </>
  );
}

interface ObjectsProps {
  record: CollectionRecord;
  isPublished: boolean;
  /** True if it was withdrawn, and is to be published again. */
  isBack: boolean;
}

function Objects({ record, isPublished, isBack }: ObjectsProps): JSX.Element {
  const [added, setAdded] = useState<readonly string[]>([]);
  const members = useMembers(record.identifier, isPublished);
  const count = members.identifiers.length;
  return (
    <section aria-labelledby="objects-title">
      <h2 id="objects-title">{w.collection.objects(count)}</h2>
      <UploadSummary folder={collectionFolder(record.identifier)} />
      {isPublished && (
        <p>
          <a href={pageAddress('texts', record.identifier)}>{w.texts.link}</a>
        </p>
      )}
      {isBack && <p>{w.collection.listed(record.members?.length ?? 0)}</p>}
      {Boolean(members.refused) && <p role="alert">{explain(members.refused)}</p>}
      {count > 0 && <ObjectGrid identifiers={members.identifiers} added={added} label={w.collection.objects(count)} />}
      <p role="status">{members.isLoading && w.loading}</p>
      {members.readMore && (
        <button type="button" onClick={members.readMore}>
          {w.collection.more}
        </button>
      )}
      {count > 0 && <NewColumn onAdd={(name) => setAdded([...added, name])} />}
      <AddObjects record={record} />
      <Absent record={record} members={members} />
    </section>
  );
}

function NewColumn({ onAdd }: { onAdd: (name: string) => void }): JSX.Element {
  const [name, setName] = useState('');
  const add = (event: Event): void => {
    event.preventDefault();
    if (name.trim()) {
      onAdd(name.trim());
      setName('');
    }
  };
  return (
    <form class="in-line" onSubmit={add}>
      <TextField label={w.grid.newColumn} value={name} onChange={setName} placeholder={w.grid.newColumnExample} />
      <button type="submit">{w.grid.addColumn}</button>
    </form>
  );
}

function AddObjects({ record }: { record: CollectionRecord }): JSX.Element {
  const add = async (found: FoundFile[]): Promise<void> =>
    makeObjects(found, {
      collection: record.identifier,
      language: languageOf(record),
      rights: record.rights ?? '',
      isPrefixed: areCameraNames(found),
      isHeld: await isRestricted(record)
    });
  return <DropZone onFiles={add}>{w.collection.drop}</DropZone>;
}

/** Members that are withdrawn or were renamed, with the way off the list. */
function Absent({ record, members }: { record: CollectionRecord; members: Members }): JSX.Element {
  const [back, setBack] = useState(0);
  if (!members.absent.length) {
    return <p role="status">{back > 0 && w.collection.broughtBack(back)}</p>;
  }
  const take = (name: string): void =>
    editRecords({ ...record, members: record.members?.filter((one) => one.identifier !== name) });
  const listed = new Set(record.members?.map((one) => one.identifier));
  const collections = new Set(record.members?.filter((one) => one.is_collection).map((one) => one.identifier));
  const gone = members.absent.filter(({ identifier, state }) => state === 'gone' && !collections.has(identifier));
  return (
    <>
      <h3>{w.collection.absent}</h3>
      {gone.length > 0 && (
        <>
          <p>{w.collection.bringBackAbout}</p>
          <Action act={() => bringBackMembers(gone, setBack)}>{w.collection.bringBack(gone.length)}</Action>
        </>
      )}
      <ul class="rows">
        {members.absent
          .filter(({ identifier }) => listed.has(identifier))
          .map(({ identifier, state }) => (
            <li key={identifier}>
              <a href={pageAddress(collections.has(identifier) ? 'collections' : 'objects', identifier)}>{identifier}</a>
              <span class="badge">{w.states[state] ?? state}</span>
              <button type="button" class="small" onClick={() => take(identifier)}>
                {w.collection.takeOff(identifier)}
              </button>
            </li>
          ))}
      </ul>
    </>
  );
}
