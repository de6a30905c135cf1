// What publishing will do is said first; then it is done, and what came of each is shown.
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { getCollection } from '../api/operations';
import { currentRecord, type Draft } from '../records/drafts';
import { type Outcome, type Plan, planPublication, publishPlan } from '../records/publication';
import { readTitle } from '../records/texts';
import { pageAddress } from '../route';
import { explain, words as w } from '../words';

export function PublishDialog({ chosen, onClose }: { chosen: readonly Draft[]; onClose: () => void }): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  const title = useRef<HTMLHeadingElement>(null);
  const end = useRef<HTMLButtonElement>(null);
  const [plan] = useState(() => planPublication(chosen));
  const [outcomes, setOutcomes] = useState<readonly Outcome[]>([]);
  const [state, setState] = useState<'before' | 'during' | 'after'>('before');
  const [failed, setFailed] = useState('');
  useEffect(() => dialog.current?.showModal(), []);
  // The button that was pressed is gone: the focus stays in the dialog.
  useEffect(() => {
    if (state !== 'before') {
      (state === 'during' ? title : end).current?.focus();
    }
  }, [state]);
  const ready = [...plan.created, ...plan.changed, ...plan.restored];
  const publish = async (): Promise<void> => {
    setState('during');
    try {
      await publishPlan(plan, (outcome) => setOutcomes((before) => [...before, outcome]));
    } catch (error) {
      setFailed(explain(error));
    }
    setState('after');
  };
  return (
    <dialog ref={dialog} class="publish" aria-labelledby="publish-title" onClose={onClose}>
      <h2 id="publish-title" ref={title} tabIndex={-1}>{w.publish.title}</h2>
      {state === 'before' ? <Announcement plan={plan} /> : <Results outcomes={outcomes} count={ready.length} />}
      {failed && (
        <p class="fault" role="alert">
          {failed}
        </p>
      )}
      <div class="buttons">
        {state === 'before' && (
          <button type="button" class="primary" disabled={!ready.length} onClick={publish}>
            {w.publish.now(ready.length)}
          </button>
        )}
        <button ref={end} type="button" disabled={state === 'during'} onClick={() => dialog.current?.close()}>
          {state === 'before' ? w.publish.notYet : w.close}
        </button>
      </div>
    </dialog>
  );
}

function Announcement({ plan }: { plan: Plan }): JSX.Element {
  const groups: [Draft[], (count: number) => string][] = [
    [plan.created, w.publish.created],
    [plan.changed, w.publish.changed],
    [plan.restored, w.publish.restored],
    [plan.rejected, w.publish.rejected],
    [plan.left, w.publish.left]
  ];
  return (
    <>
      {groups
        .filter(([some]) => some.length)
        .map(([some, say]) => (
          <section key={say(2)}>
            <p>{say(some.length)}</p>
            <Names drafts={some} />
          </section>
        ))}
      {plan.lists.length > 0 && <FollowingLists names={plan.lists} />}
      <p class="note">{w.publish.when}</p>
    </>
  );
}

/** Names the collections whose lists follow, by their titles once these are read. */
function FollowingLists({ names }: { names: readonly string[] }): JSX.Element {
  const [titles, setTitles] = useState(names);
  useEffect(() => void Promise.all(names.map(readCollectionTitle)).then(setTitles), []);
  return <p>{w.publish.lists(titles)}</p>;
}

async function readCollectionTitle(name: string): Promise<string> {
  try {
    return readTitle(currentRecord(name) ?? (await getCollection(name)).body);
  } catch {
    return name; // publishing says what is wrong
  }
}

const MAX_NAMES = 8;

function Names({ drafts }: { drafts: readonly Draft[] }): JSX.Element {
  return (
    <ul class="names">
      {drafts.slice(0, MAX_NAMES).map(({ record }) => (
        <li key={record.identifier}>{readTitle(record)}</li>
      ))}
      {drafts.length > MAX_NAMES && <li>{w.more(drafts.length - MAX_NAMES)}</li>}
    </ul>
  );
}

function Results({ outcomes, count }: { outcomes: readonly Outcome[]; count: number }): JSX.Element {
  const good = outcomes.filter(({ state }) => state === 'published' || state === 'waiting');
  const waiting = outcomes.filter(({ state }) => state === 'waiting').length;
  return (
    <>
      <p role="status">{w.publish.done(good.length, count)}</p>
      <progress max={count} value={outcomes.length} aria-label={w.publish.title} />
      {waiting > 0 && <p>{w.publish.waiting(waiting)}</p>}
      <ul class="names">
        {outcomes
          .filter(({ state }) => state === 'conflict' || state === 'refused')
          .map((outcome) => (
            <li key={outcome.identifier} class="fault">
              {outcome.state === 'conflict' ? (
                <>
                  {outcome.identifier}: {w.publish.conflict} <a href={pageAddress('changes')}>{w.publish.compare}</a>
                </>
              ) : (
                `${outcome.identifier}: ${outcome.reason}`
              )}
            </li>
          ))}
      </ul>
    </>
  );
}
