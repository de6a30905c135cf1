// What an object or a collection has been, and the way back to any version.
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { getHistory, getRecord, type HistoryEntry, type Kind } from '../api/operations';
import { drafts, known, setDrafts } from '../records/drafts';
import { explain, formatTime, words as w } from '../words';
import { Action, Panel } from './action';

const PAGE = 20;

export function HistoryPanel({ kind, name, isOpen }: { kind: Kind; name: string; isOpen?: boolean }): JSX.Element {
  if (isOpen) {
    return <History kind={kind} name={name} />;
  }
  const revision = known.value.get(name)?.revision;
  return <Panel title={w.history.title}>{() => <History key={revision} kind={kind} name={name} />}</Panel>;
}

function History({ kind, name }: { kind: Kind; name: string }): JSX.Element {
  const [entries, setEntries] = useState<readonly HistoryEntry[] | null>(null);
  const [isWhole, setWhole] = useState(false);
  const [failed, setFailed] = useState('');
  const load = async (): Promise<void> => {
    const before = entries?.at(-1)?.revision ?? 0;
    const { body } = await getHistory(name, before);
    setEntries([...(entries ?? []), ...body.entries]);
    setWhole(body.entries.length < PAGE);
  };
  useEffect(() => {
    load().catch((error) => setFailed(explain(error)));
  }, [name]);
  if (!entries) {
    return <p role="status">{failed || w.loading}</p>;
  }
  const newest = entries[0]?.revision ?? 0;
  const isGone = entries[0]?.state === 'gone';
  return (
    <>
      <p>{w.history.about}</p>
      <ol class="history">
        {entries.map((entry) => (
          <li key={entry.revision}>
            <p>
              <strong>{w.version(entry.revision)}</strong> · {formatTime(entry.changed_at)} · {w.history[entry.state]}{' '}
              “{entry.summary}”{entry.changed_by && <span class="note"> {w.history.by(entry.changed_by)}</span>}
            </p>
            {entry.state === 'described' && (entry.revision !== newest || isGone) && (
              <Action act={() => bringBack(kind, name, entry.revision, newest, isGone)}>
                {w.history.back(entry.revision)}
              </Action>
            )}
          </li>
        ))}
      </ol>
      {!isWhole && <Action act={load}>{w.history.earlier}</Action>}
    </>
  );
}

/** Make a draft of an earlier version, upon the newest. */
async function bringBack(kind: Kind, name: string, revision: number, newest: number, isGone: boolean): Promise<string> {
  const { body: record } = await getRecord(kind, name, revision);
  const current = known.value.get(name);
  const draft = drafts.value.get(name);
  setDrafts([
    {
      record,
      base: isGone ? null : (draft?.base ?? current?.record ?? null),
      revision: isGone ? newest : (current?.revision ?? newest),
      ...(isGone ? { restores: true } : {})
    }
  ]);
  return w.history.ready(revision);
}
