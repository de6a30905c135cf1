// The page as it would be, in a frame that runs no script and has an origin that is nobody's.
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { previewRecords } from '../api/operations';
import type { AnyRecord } from '../records/types';
import { explain, words as w } from '../words';
import { Panel } from './action';

const WAIT = 500; // milliseconds without another change
const SCRIPTS = /<script\b[^>]*>[^]*?<\/script>/gi;
/** The one way of a text into a frame that the desk's policy allows. */
const policy = (globalThis as unknown as { trustedTypes?: TrustedTypes }).trustedTypes?.createPolicy('desk-preview', {
  createHTML: (html) => html
});

interface TrustedTypes {
  createPolicy(name: string, rules: { createHTML: (html: string) => string }): { createHTML: (html: string) => string };
}

export function PreviewPanel({ record }: { record: AnyRecord }): JSX.Element {
  return <Panel title={w.preview.title}>{() => <Preview record={record} />}</Panel>;
}

function Preview({ record }: { record: AnyRecord }): JSX.Element {
  const frame = useRef<HTMLIFrameElement>(null);
  const [page, setPage] = useState('');
  const [said, setSaid] = useState(w.loading);
  useEffect(() => {
    const controller = new AbortController();
    const timer = setTimeout(async () => {
      try {
        const { body } = await previewRecords([record], controller.signal);
        const [preview] = body.previews;
        setPage(preview?.page ?? '');
        setSaid(preview?.faults.map((fault) => fault.reason).join(' ') ?? '');
      } catch (error) {
        if (!controller.signal.aborted) {
          setSaid(explain(error));
        }
      }
    }, WAIT);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [record]);
  useEffect(() => {
    if (frame.current) {
      const still = makeStill(page);
      frame.current.srcdoc = policy ? policy.createHTML(still) : still;
    }
  }, [page]);
  return (
    <>
      <p role="status">{said}</p>
      {page && (
        <iframe
          ref={frame}
          class="preview"
          title={w.preview.frame}
          sandbox="allow-popups allow-popups-to-escape-sandbox"
        />
      )}
    </>
  );
}

/** Return a page without its scripts, which the frame would refuse; links open in a new tab. */
function makeStill(page: string): string {
  return page.replace(SCRIPTS, '').replace(/<head>/i, (head) => `${head}<base target="_blank">`);
}
