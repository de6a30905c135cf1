// A button for what takes a while: it says what came of it.
import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';
import { explain } from '../words';

interface ActionProps {
  children: ComponentChildren;
  /** What is done; a text that it returns is shown. */
  act: () => Promise<string | void>;
  kind?: 'primary' | 'danger';
  disabled?: boolean;
}

export function Action({ children, act, kind, disabled }: ActionProps): JSX.Element {
  const [isBusy, setBusy] = useState(false);
  const [said, setSaid] = useState('');
  const [failed, setFailed] = useState('');
  const run = async (): Promise<void> => {
    setBusy(true);
    setSaid('');
    setFailed('');
    try {
      setSaid((await act()) || '');
    } catch (error) {
      setFailed(explain(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <div class="action">
      <button type="button" class={kind} disabled={disabled || isBusy} aria-busy={isBusy} onClick={run}>
        {children}
      </button>
      <span role="status">{said}</span>
      {failed && (
        <p class="fault" role="alert">
          {failed}
        </p>
      )}
    </div>
  );
}

/** A part of a page that one opens: what can be done, and what will happen. */
export function Panel({ title, children }: { title: string; children: () => ComponentChildren }): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="panel" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{title}</summary>
      {isOpen && <div class="panel-body">{children()}</div>}
    </details>
  );
}
