// Links to where a fault is mended: its cell in the table, or its field on the object's page.
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { isInTable } from '../grid/columns';
import type { AnyRecord, Fault } from '../records/types';
import { forgetTarget, pageAddress, route } from '../route';

export function FaultLink(props: { record: AnyRecord; fault: Fault; children: string }): JSX.Element {
  return (
    <a class="fault" href={mendingAddress(props.record, props.fault)}>
      {props.children}
    </a>
  );
}

function mendingAddress({ type, identifier, part_of: collections }: AnyRecord, { place }: Fault): string {
  const page = type === 'object' ? 'objects' : 'collections';
  const isHere = route.value.page === page && route.value.name === identifier;
  const table = collections?.[0];
  const target = { identifier, place };
  if (type === 'object' && table && isInTable(place) && !isHere) {
    return pageAddress('collections', table, target);
  }
  return pageAddress(page, identifier, target);
}

/** Give the focus to the first field that breaks a rule, if an address asks for it. */
export function useFaultFocus(name: string): void {
  const { target } = route.value;
  useEffect(() => {
    const field = document.querySelector<HTMLElement>('main :is(input, textarea, select)[aria-invalid=true]');
    if (target?.identifier === name && field) {
      forgetTarget();
      field.focus();
    }
  });
}
