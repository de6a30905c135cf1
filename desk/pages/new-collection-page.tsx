// A new collection, of photographs from this computer.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { DropZone } from '../parts/drop-zone';
import { SelectField, TextField } from '../parts/fields';
import { currentRecord, editRecords } from '../records/drafts';
import { type NewObjects, makeObjects } from '../records/new-objects';
import { RIGHTS } from '../records/rights';
import { goTo } from '../route';
import { type FoundFile, areCameraNames, slugOf } from '../uploads/files';
import { LANGUAGES, words as w } from '../words';

const CHOICES = new Map([['', w.object.noRights], ...RIGHTS]);

export function NewCollectionPage(): JSX.Element {
  const [title, setTitle] = useState('');
  const [typedName, setTypedName] = useState('');
  const [language, setLanguage] = useState('en');
  const [rights, setRights] = useState('');
  const [found, setFound] = useState<readonly FoundFile[]>([]);
  const [isPrefixed, setPrefixed] = useState(false);
  const [isHeld, setHeld] = useState(false);
  const name = typedName || slugOf(title);
  const fault = !title.trim() ? w.create.noTitle : currentRecord(name) ? w.create.taken(name) : '';
  const take = (files: FoundFile[]): void => {
    const all = [...found, ...files];
    setFound(all);
    setPrefixed(areCameraNames(all));
    if (!title && files[0]?.path.includes('/')) {
      setTitle(files[0].path.split('/')[0] ?? '');
    }
  };
  const create = (event: Event): void => {
    event.preventDefault();
    if (fault) {
      return;
    }
    createCollection(name, title.trim(), found, { language, rights, isPrefixed, isHeld });
  };
  return (
    <form class="new-collection" onSubmit={create}>
      <h1>{w.create.title}</h1>
      <DropZone onFiles={take}>{w.create.drop}</DropZone>
      <p role="status">{found.length > 0 && w.create.found(found.length)}</p>
      <div class="fields">
        <TextField label={w.create.name} value={title} onChange={setTitle} required />
        <SelectField label={w.create.language} value={language} options={LANGUAGES} onChange={setLanguage} />
        <SelectField label={w.create.rights} note={w.create.rightsNote} value={rights} options={CHOICES} onChange={setRights} />
        <TextField label={w.create.identifier} note={w.create.identifierNote(name || '…')} value={name} onChange={setTypedName} />
        <label class="check">
          <input type="checkbox" checked={isPrefixed} onChange={(event) => setPrefixed(event.currentTarget.checked)} />
          {w.create.prefix}
        </label>
        <p role="status" class="about-field">
          {isPrefixed && areCameraNames(found) && w.create.prefixed}
        </p>
        <label class="check">
          <input type="checkbox" checked={isHeld} onChange={(event) => setHeld(event.currentTarget.checked)} />
          {w.create.hold}
        </label>
        <p class="about-field">{w.create.holdAbout}</p>
      </div>
      <p>{w.create.about}</p>
      <div class="buttons">
        <button type="submit" class="primary" disabled={Boolean(fault)}>
          {w.create.now(found.length)}
        </button>
        <span class="note">{fault}</span>
      </div>
    </form>
  );
}

/** Make drafts of a collection and of an object for each file, and open their table. */
function createCollection(
  name: string,
  title: string,
  found: readonly FoundFile[],
  options: Omit<NewObjects, 'collection'>
): void {
  const { language, rights } = options;
  const label = { [language]: [title] };
  editRecords({ type: 'collection', identifier: name, label, ...(rights ? { rights } : {}), members: [] });
  makeObjects(found, { collection: name, ...options });
  goTo('collections', name);
}
