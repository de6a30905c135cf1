// What the browser keeps between two visits: drafts, and names of uploads that go on.

const NAME = 'vitrine-desk';
const STORES = ['drafts', 'uploads'] as const;
type StoreName = (typeof STORES)[number];

let opened: Promise<IDBDatabase> | null = null;

function open(): Promise<IDBDatabase> {
  opened ??= new Promise((resolve, reject) => {
    const request = indexedDB.open(NAME, 1);
    request.onupgradeneeded = () => STORES.forEach((store) => request.result.createObjectStore(store));
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
  return opened;
}

async function run<T>(store: StoreName, mode: IDBTransactionMode, act: (store: IDBObjectStore) => IDBRequest<T>): Promise<T> {
  const database = await open();
  return new Promise((resolve, reject) => {
    const request = act(database.transaction(store, mode).objectStore(store));
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

/** Return all values of a store. */
export function readAll<T>(store: StoreName): Promise<T[]> {
  return run(store, 'readonly', (one) => one.getAll());
}

/** Return a value; undefined for none. */
export function read<T>(store: StoreName, key: string): Promise<T | undefined> {
  return run(store, 'readonly', (one) => one.get(key));
}

/** Keep a value, unless there is one of this key. */
export async function keepNew(store: StoreName, key: string, value: unknown): Promise<void> {
  await run(store, 'readwrite', (one) => one.add(value, key)).catch((error: unknown) => {
    if (!(error instanceof DOMException && error.name === 'ConstraintError')) {
      throw error;
    }
  });
}

/** Keep a value, or remove it if it is undefined. */
export async function keep(store: StoreName, key: string, value: unknown): Promise<void> {
  await run(store, 'readwrite', (one): IDBRequest => (value === undefined ? one.delete(key) : one.put(value, key)));
}
