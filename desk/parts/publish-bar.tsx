// Changes that wait in this browser, and the way to publish them.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { faults, isChecking } from '../records/checks';
import { type Draft, drafts, dropDrafts } from '../records/drafts';
import { pageAddress } from '../route';
import { words as w } from '../words';
import { FaultLink } from './fault-link';
import { PublishDialog } from './publish-dialog';

export function PublishBar({ chosen }: { chosen: readonly Draft[] }): JSX.Element {
  const [opened, setOpened] = useState<readonly Draft[] | null>(null);
  const faulty = chosen.filter((draft) => faults.value.has(draft.record.identifier));
  const first = faulty[0]?.record;
  const fault = first && faults.value.get(first.identifier)?.[0];
  const conflicts = chosen.filter((draft) => draft.conflict).length;
  const close = (): void => {
    setOpened(null);
    if (!chosen.length) {
      document.getElementById('main')?.focus({ preventScroll: true }); // the bar is gone
    }
  };
  const dialog = opened && <PublishDialog chosen={opened} onClose={close} />;
  return (
    <>
      {chosen.length > 0 && (
      <section class="publish-bar" aria-label={w.bar.label}>
        <p role="status">
          {w.bar.changed(chosen.length)}{' '}
          {first && fault && (
            <FaultLink record={first} fault={fault}>
              {w.bar.faulty(faulty.length)}
            </FaultLink>
          )}{' '}
          {conflicts > 0 && (
            <a class="fault" href={pageAddress('changes')}>
              {w.bar.conflicts(conflicts)}
            </a>
          )}
          {isChecking.value && <span class="note">{w.bar.checking}</span>}
        </p>
        <div class="buttons">
          <GiveUp chosen={chosen} />
          <button type="button" class="primary" onClick={() => setOpened(latestOf(chosen))}>
            {w.bar.publish}
          </button>
        </div>
      </section>
      )}
      {dialog}
    </>
  );
}

function latestOf(chosen: readonly Draft[]): Draft[] {
  return chosen.flatMap(({ record }) => drafts.value.get(record.identifier) ?? []);
}

function GiveUp({ chosen }: { chosen: readonly Draft[] }): JSX.Element {
  const [isAsked, setAsked] = useState(false);
  if (!isAsked) {
    return (
      <button type="button" onClick={() => setAsked(true)}>
        {w.bar.giveUp}
      </button>
    );
  }
  return (
    <>
      <button type="button" class="danger" onClick={() => dropDrafts(...chosen.map(({ record }) => record.identifier))}>
        {w.bar.giveUpNow(chosen.length)}
      </button>
      <button type="button" onClick={() => setAsked(false)}>
        {w.bar.keep}
      </button>
    </>
  );
}
