// All that was changed in this browser and is not published, with what others changed meanwhile.
import type { JSX } from 'preact';
import { ConflictNotice } from '../parts/conflict';
import { FaultLink } from '../parts/fault-link';
import { PublishBar } from '../parts/publish-bar';
import { faults } from '../records/checks';
import { differingFields } from '../records/differences';
import { drafts, dropDrafts } from '../records/drafts';
import { readTitle } from '../records/texts';
import { pageAddress } from '../route';
import { words as w } from '../words';

export function ChangesPage(): JSX.Element {
  const all = [...drafts.value.values()];
  return (
    <>
      <h1>{w.changes.title}</h1>
      <p>{all.length ? w.changes.about : w.changes.none}</p>
      {all.map((draft) => draft.conflict && <ConflictNotice key={draft.record.identifier} draft={draft} />)}
      <ul class="rows">
        {all.map((draft) => (
          <li key={draft.record.identifier}>
            <a href={pageAddress(draft.record.type === 'object' ? 'objects' : 'collections', draft.record.identifier)}>
              {readTitle(draft.record)}
            </a>
            <span class="note">
              {draft.revision
                ? differingFields(draft.base, draft.record)
                    .map((name) => w.conflict.fields[name] ?? name)
                    .join(', ')
                : w.states.new}
            </span>
            {faults.value.get(draft.record.identifier)?.map((fault) => (
              <FaultLink key={fault.place + fault.reason} record={draft.record} fault={fault}>
                {fault.reason}
              </FaultLink>
            ))}
            <button type="button" class="small" onClick={() => dropDrafts(draft.record.identifier)}>
              {w.changes.giveUp(readTitle(draft.record))}
            </button>
          </li>
        ))}
      </ul>
      <PublishBar chosen={all} />
    </>
  );
}
