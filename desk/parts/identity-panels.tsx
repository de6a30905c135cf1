// What can be done with an object or a collection as a whole; each says first what will happen.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { type Kind, deleteRecord, renameRecord } from '../api/operations';
import { type Known, dropDrafts, editRecords, forgetKnown, currentRecord } from '../records/drafts';
import { renameMember } from '../records/member-lists';
import type { CollectionRecord } from '../records/types';
import { type MemberObject, readMemberObjects, withdrawObjects } from '../records/whole-collection';
import { goTo } from '../route';
import { words as w } from '../words';
import { AccessRule } from './access-rule';
import { Action, Panel } from './action';
import { TextField } from './fields';

export function IdentityPanels({ kind, known }: { kind: Kind; known: Known }): JSX.Element {
  const name = known.record.identifier;
  return (
    <>
      {kind === 'collections' && <Panel title={w.access.ofCollection}>{() => <CollectionAccess name={name} />}</Panel>}
      <Panel title={w.rename.title}>{() => <Rename kind={kind} known={known} />}</Panel>
      <Panel title={w.withdraw.title}>{() => <Withdraw kind={kind} known={known} />}</Panel>
    </>
  );
}

function CollectionAccess({ name }: { name: string }): JSX.Element {
  const record = currentRecord(name) as CollectionRecord;
  return (
    <>
      <p>{w.access.aboutCollection}</p>
      <AccessRule
        value={record.access ?? ''}
        nothing={w.access.asBefore}
        onChange={(access) => editRecords({ ...record, access: access || undefined })}
      />
    </>
  );
}

function Rename({ kind, known }: { kind: Kind; known: Known }): JSX.Element {
  const [to, setTo] = useState('');
  const name = known.record.identifier;
  const rename = async (): Promise<void> => {
    await renameRecord('object', name, to.trim());
    for (const collection of known.record.part_of ?? []) {
      await renameMember(collection, name, to.trim());
    }
    forgetKnown(name);
    dropDrafts(name);
    goTo(kind, to.trim());
  };
  return (
    <>
      <p>{w.rename.about(name)}</p>
      <TextField label={w.rename.to} value={to} onChange={setTo} />
      <Action act={rename} disabled={!to.trim() || to.trim() === name}>
        {w.rename.now}
      </Action>
    </>
  );
}

function Withdraw({ kind, known }: { kind: Kind; known: Known }): JSX.Element {
  const [reason, setReason] = useState('');
  const [isWhole, setWhole] = useState(false);
  const name = known.record.identifier;
  const withdraw = async (): Promise<void> => {
    await deleteRecord(kind, name, reason, known.revision);
    dropDrafts(name);
    forgetKnown(name);
  };
  return (
    <>
      <p>{w.withdraw[kind]}</p>
      <TextField label={w.withdraw.reason} note={w.withdraw.reasonNote} value={reason} onChange={setReason} />
      {kind === 'collections' && (
        <label class="check">
          <input type="checkbox" checked={isWhole} onChange={(event) => setWhole(event.currentTarget.checked)} />
          {w.withdraw.whole}
        </label>
      )}
      {isWhole ? (
        <WithdrawWhole name={name} reason={reason} onObjectsDone={withdraw} />
      ) : (
        <Action act={withdraw} kind="danger" disabled={!reason.trim()}>
          {w.withdraw.now}
        </Action>
      )}
    </>
  );
}

/** Give the focus to what takes the place of a button. */
function takeFocus(element: HTMLElement | null): void {
  element?.focus();
}

/** Withdraws the objects of a collection, once somebody has read how many they are. */
function WithdrawWhole(props: { name: string; reason: string; onObjectsDone: () => Promise<void> }): JSX.Element {
  const { name, reason, onObjectsDone } = props;
  const [found, setFound] = useState<readonly MemberObject[] | null>(null);
  const [done, setDone] = useState(0);
  if (!found) {
    const ask = async (): Promise<void> => setFound(await readMemberObjects(name));
    return (
      <Action key="ask" act={ask} kind="danger" disabled={!reason.trim()}>
        {w.withdraw.wholeNow}
      </Action>
    );
  }
  const withdraw = async (): Promise<void> => {
    await withdrawObjects(found, reason, setDone);
    await onObjectsDone();
  };
  return (
    <>
      <p role="alert" tabIndex={-1} ref={takeFocus}>
        {w.withdraw.whatGoes(found.length)}
      </p>
      <Action key="now" act={withdraw} kind="danger" disabled={!reason.trim()}>
        {w.withdraw.whatGoesNow(found.length)}
      </Action>
      {done === 0 && (
        <button type="button" onClick={() => setFound(null)}>
          {w.withdraw.keep}
        </button>
      )}
      <p role="status">{done > 0 && w.withdraw.done(done, found.length)}</p>
    </>
  );
}
