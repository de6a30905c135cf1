// Somebody else published meanwhile: both versions, field by field, to choose from.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { differingFields, takeFields } from '../records/differences';
import { type Draft, dropDrafts, noteKnown, setDrafts } from '../records/drafts';
import { languageOf, readText, readTitle } from '../records/texts';
import type { AnyRecord, Statement, Texts } from '../records/types';
import { words as w } from '../words';

export function ConflictNotice({ draft }: { draft: Draft }): JSX.Element | null {
  const theirs = draft.conflict?.record;
  const fields = differingFields(draft.record, theirs ?? null);
  // A field that only one side has changed is that side's.
  const changedByMe = new Set(differingFields(draft.base, draft.record));
  const [mine, setMine] = useState(() => new Set(fields.filter((name) => changedByMe.has(name))));
  if (!theirs || !draft.conflict) {
    return null;
  }
  const { revision } = draft.conflict;
  const take = (names: ReadonlySet<string>): void => {
    noteKnown({ record: theirs, revision, state: 'published', missing: [] });
    if (names.size) {
      setDrafts([{ base: theirs, revision, record: takeFields(draft.record, theirs, names) }]);
    } else {
      dropDrafts(draft.record.identifier);
    }
  };
  const choose = (name: string, isMine: boolean): void => {
    const chosen = new Set(mine);
    isMine ? chosen.add(name) : chosen.delete(name);
    setMine(chosen);
  };
  return (
    <section class="conflict" aria-label={w.conflict.title}>
      <h2>{w.conflict.title}</h2>
      <p>{w.conflict.about(readTitle(draft.record), revision)}</p>
      {fields.map((name) => (
        <FieldChoice
          key={name}
          name={name}
          versions={[draft.record, theirs]}
          isMine={mine.has(name)}
          onChoose={(isMine) => choose(name, isMine)}
        />
      ))}
      <div class="buttons">
        <button type="button" class="primary" onClick={() => take(mine)}>
          {w.conflict.take}
        </button>
        <button type="button" onClick={() => take(new Set())}>
          {w.conflict.giveUp}
        </button>
      </div>
    </section>
  );
}

function FieldChoice(props: {
  name: string;
  /** Mine, and theirs. */
  versions: readonly [AnyRecord, AnyRecord];
  isMine: boolean;
  onChoose: (isMine: boolean) => void;
}): JSX.Element {
  const { name, versions } = props;
  return (
    <fieldset>
      <legend>{w.conflict.fields[name] ?? name}</legend>
      {versions.map((record, number) => {
        const isMine = number === 0;
        return (
          <label key={number} class="version">
            <input
              type="radio"
              name={`${record.identifier}-${name}`}
              checked={props.isMine === isMine}
              onChange={() => props.onChoose(isMine)}
            />
            <strong>{isMine ? w.conflict.mine : w.conflict.theirs}</strong>
            <span>{describeField(record, name) || w.conflict.nothing}</span>
          </label>
        );
      })}
    </fieldset>
  );
}

/** Return what a field says, as people read it. */
function describeField(record: AnyRecord, name: string): string {
  const value = (record as unknown as Record<string, unknown>)[name];
  const language = languageOf(record);
  if (value === undefined || typeof value === 'string' || typeof value === 'number') {
    return String(value ?? '');
  }
  if (name === 'metadata') {
    return (value as Statement[]).map((pair) => `${readText(pair.label, language)}: ${readText(pair.value, language)}`).join('\n');
  }
  if (name === 'required_statement') {
    return readText((value as Statement).value, language);
  }
  if (name === 'canvases' && record.type === 'object') {
    return record.canvases.map((one) => `${one.image ?? ''}: ${readText(one.alt_text, language)}`).join('\n');
  }
  if (name === 'members' && record.type === 'collection') {
    return (record.members ?? []).map((one) => readTitle(one)).join('\n');
  }
  if (name === 'label' || name === 'summary') {
    return Object.values(value as Texts).flat().join('\n');
  }
  return JSON.stringify(value);
}
