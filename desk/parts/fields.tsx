// Fields of forms, each with its label, what it is for, and what is wrong with it.
import type { ComponentChildren, JSX } from 'preact';
import { useId } from 'preact/hooks';
import type { Fault } from '../records/types';

interface FieldProps {
  label: string;
  note?: string;
  faults?: readonly Fault[];
  value: string;
  language?: string;
  rows?: number;
  required?: boolean;
  placeholder?: string;
  list?: string;
  /** True if what is around it says what it is to those who see it. */
  isObvious?: boolean;
  onChange: (value: string) => void;
}

/** A field of one line, or of several if `rows` says so. */
export function TextField(props: FieldProps): JSX.Element {
  const id = useId();
  const common = {
    id,
    value: props.value,
    lang: props.language && props.language !== 'none' ? props.language : undefined,
    required: props.required,
    placeholder: props.placeholder,
    'aria-invalid': props.faults?.length ? true : undefined,
    'aria-describedby': props.note || props.faults?.length ? `${id}-about` : undefined
  };
  return (
    <Labelled id={id} {...props}>
      {props.rows ? (
        <textarea {...common} rows={props.rows} onInput={(event) => props.onChange(event.currentTarget.value)} />
      ) : (
        <input {...common} type="text" list={props.list} onInput={(event) => props.onChange(event.currentTarget.value)} />
      )}
    </Labelled>
  );
}

interface SelectProps {
  label: string;
  note?: string;
  faults?: readonly Fault[];
  value: string;
  options: ReadonlyMap<string, string>;
  onChange: (value: string) => void;
}

/** A choice of one of a few; a value that is none of them is one as well. */
export function SelectField(props: SelectProps): JSX.Element {
  const id = useId();
  const options = new Map(props.options);
  if (!options.has(props.value)) {
    options.set(props.value, props.value);
  }
  return (
    <Labelled id={id} {...props}>
      <select
        id={id}
        value={props.value}
        aria-invalid={props.faults?.length ? true : undefined}
        aria-describedby={props.note || props.faults?.length ? `${id}-about` : undefined}
        onChange={(event) => props.onChange(event.currentTarget.value)}
      >
        {[...options].map(([value, name]) => (
          <option key={value} value={value}>
            {name}
          </option>
        ))}
      </select>
    </Labelled>
  );
}

function Labelled(props: {
  id: string;
  label: string;
  note?: string;
  faults?: readonly Fault[];
  isObvious?: boolean;
  children: ComponentChildren;
}): JSX.Element {
  return (
    <div class="field">
      <label for={props.id} class={props.isObvious ? 'unseen' : undefined}>{props.label}</label>
      {props.children}
      {(props.note || Boolean(props.faults?.length)) && (
        <p class="about-field" id={`${props.id}-about`}>
          {props.faults?.map((fault) => (
            <span class="fault" key={fault.reason}>
              {fault.reason}{' '}
            </span>
          ))}
          {props.note}
        </p>
      )}
    </div>
  );
}
