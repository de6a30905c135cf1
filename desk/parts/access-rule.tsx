// Who may see an image, or those of a collection, and how much of it.
import type { JSX } from 'preact';
import { words as w } from '../words';
import { SelectField, TextField } from './fields';

interface AccessRuleProps {
  value: string;
  /** What no rule is called; without it, there has to be one. */
  nothing: string;
  onChange: (rule: string) => void;
}

const RIGHT = 'right';

export function AccessRule({ value, nothing, onChange }: AccessRuleProps): JSX.Element {
  const size = /^small:(\d*)$/.exec(value);
  const choice = value === '' || value === 'inherited' ? '' : value === 'open' || value === 'closed' ? value : size ? 'small' : RIGHT;
  const options = new Map([
    ['', nothing],
    ['open', w.access.open],
    ['small', w.access.small],
    ['closed', w.access.closed],
    [RIGHT, w.access.right]
  ]);
  const choose = (chosen: string): void => onChange(chosen === 'small' ? 'small:1000' : chosen === RIGHT ? 'staff' : chosen);
  return (
    <>
      <SelectField label={w.access.who} value={choice} options={options} onChange={choose} />
      {size && <TextField label={w.access.pixels} value={size[1] ?? ''} onChange={(text) => onChange(`small:${text.replace(/\D/g, '')}`)} />}
      {choice === RIGHT && <TextField label={w.access.rightName} note={w.access.rightNote} value={value} onChange={onChange} />}
    </>
  );
}
