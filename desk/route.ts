// Pages of the desk by the hash of its address: `#/objects/letter-1`.
import { signal } from '@preact/signals';

export const PAGES = ['home', 'new', 'collections', 'objects', 'uploads', 'changes', 'failures', 'texts', 'calls'] as const;
export type PageName = (typeof PAGES)[number];

export interface Route {
  page: PageName;
  /** Identifier of what the page is about; '' for none. */
  name: string;
  /** What on the page gets the focus. */
  target?: Target;
}

/** A place in a record, as faults name it. */
export interface Target {
  identifier: string;
  place: string;
}

function readRoute(): Route {
  const [page, ...parts] = location.hash.replace(/^#\/?/, '').split('/');
  const found = PAGES.find((one) => one === page) ?? 'home';
  try {
    const [name = '', identifier = '', place = ''] = parts.map(decodeURIComponent);
    return { page: found, name, ...(identifier ? { target: { identifier, place } } : {}) };
  } catch {
    return { page: 'home', name: '' };
  }
}

export const route = signal<Route>(readRoute());

export function followRoutes(): void {
  addEventListener('hashchange', () => {
    route.value = readRoute();
  });
}

/** Return the address of a page of the desk. */
export function pageAddress(page: PageName, name = '', target?: Target): string {
  const parts = [name, ...(target ? [target.identifier, target.place] : [])].map(encodeURIComponent);
  return `#/${page === 'home' ? '' : page}${name && `/${parts.join('/')}`}`;
}

/** Leave the focus where it is from now on: the address names the page alone. */
export function forgetTarget(): void {
  const { page, name } = route.value;
  history.replaceState(null, '', pageAddress(page, name));
  route.value = { page, name };
}

export function goTo(page: PageName, name = ''): void {
  location.hash = pageAddress(page, name);
}
