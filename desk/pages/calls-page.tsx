// What the desk did: its calls of the API, each as a command that does the same.
import type { JSX } from 'preact';
import { type ApiCall, calls, curlCommand } from '../api/calls';
import { Action, Panel } from '../parts/action';
import { words as w } from '../words';

export function CallsPage(): JSX.Element {
  return (
    <>
      <h1>{w.calls.title}</h1>
      <p>{w.calls.about(calls.value.length)}</p>
      <div class="calls">
        {calls.value.map((call) => (
          <Panel key={call.number} title={summarise(call)}>
            {() => <CallDetails call={call} />}
          </Panel>
        ))}
      </div>
    </>
  );
}

function summarise(call: ApiCall): string {
  const { pathname, search } = new URL(call.address);
  const status = call.status || w.calls.unanswered;
  return `${call.time.toLocaleTimeString()} · ${call.method} ${pathname}${search} · ${status} · ${call.milliseconds} ms`;
}

function CallDetails({ call }: { call: ApiCall }): JSX.Element {
  const command = curlCommand(call);
  const copy = async (): Promise<string> => {
    await navigator.clipboard.writeText(command);
    return w.calls.copied;
  };
  return (
    <>
      <pre tabIndex={0}>{command}</pre>
      <Action act={copy}>{w.calls.copy}</Action>
      {call.answer && <pre tabIndex={0}>{call.answer}</pre>}
    </>
  );
}
