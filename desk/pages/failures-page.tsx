// Masters that were not published, each with the reason and what to do.
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { type Ingest, listIngests } from '../api/operations';
import { pageAddress } from '../route';
import { explain, formatTime, words as w } from '../words';

const STATES = ['rejected', 'failed'] as const;

export function FailuresPage(): JSX.Element {
  const [found, setFound] = useState<readonly Ingest[] | null>(null);
  const [failed, setFailed] = useState('');
  useEffect(() => {
    Promise.all(STATES.map(listIngests)).then(
      (answers) => setFound(answers.flatMap(({ body }) => body.ingests)),
      (error) => setFailed(explain(error))
    );
  }, []);
  return (
    <>
      <h1>{w.failures.title}</h1>
      <p role="status">{failed || (found ? w.failures.about(found.length) : w.loading)}</p>
      <ul class="uploads">
        {found?.map((ingest) => (
          <li key={ingest.key}>
            <p>
              <strong>{ingest.key}</strong> <span class="badge rejected">{ingest.code ?? ingest.state}</span>{' '}
              <span class="note">{ingest.changed_at && formatTime(ingest.changed_at)}</span>
            </p>
            <p class="fault">{ingest.sentence}</p>
            {ingest.advice && <p>{ingest.advice}</p>}
          </li>
        ))}
      </ul>
      {Boolean(found?.length) && (
        <p>
          <a href={pageAddress('uploads')}>{w.failures.upload}</a>
        </p>
      )}
    </>
  );
}
