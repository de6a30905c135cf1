// Masters that were not published, each with the reason and what to do.
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Ingest } from '../api/operations';
import { NewFile } from '../parts/new-file';
import { loadRejections } from '../uploads/rejections';
import { explain, formatTime, words as w } from '../words';

export function FailuresPage(): JSX.Element {
  const [found, setFound] = useState<readonly Ingest[] | null>(null);
  const [failed, setFailed] = useState('');
  useEffect(() => {
    loadRejections().then(setFound, (error) => setFailed(explain(error)));
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
            {ingest.identifier && (
              <NewFile image={ingest.identifier} masterKey={() => ingest.key}>
                {w.failures.upload}
              </NewFile>
            )}
          </li>
        ))}
      </ul>
    </>
  );
}
