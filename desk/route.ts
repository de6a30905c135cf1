// Pages of the desk by the hash of its address: `#/objects/letter-1`.
import { signal } from '@preact/signals';

export const PAGES = ['home', 'new', 'collections', 'objects', 'uploads', 'changes', 'failures', 'texts', 'calls'] as const;
export type PageName = (typeof PAGES)[number];

export interface Route {
  page: PageName;
  /** Identifier of what the page is about; '' for none. */
  name: string;
}

function readRoute(): Route {
  const [, page = '', name = ''] = /^#\/([a-z]*)(?:\/(.*))?$/.exec(location.hash) ?? [];
  const found = PAGES.find((one) => one === page) ?? 'home';
  try {
    return { page: found, name: decodeURIComponent(name) };
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
export function pageAddress(page: PageName, name = ''): string {
  return `#/${page === 'home' ? '' : page}${name && `/${encodeURIComponent(name)}`}`;
}

export function goTo(page: PageName, name = ''): void {
  location.hash = pageAddress(page, name);
}
