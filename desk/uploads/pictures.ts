// Pictures of files that this page uploads, for as long as nothing else shows them.
import { signal } from '@preact/signals';

const SHOWN = /^image\/(jpeg|png|webp|gif|avif)$/;

/** Addresses of files by the identifiers of the images that they become. */
const addresses = signal<ReadonlyMap<string, string>>(new Map());

/** Show the files of images until these are published. */
export function showFiles(files: readonly [string, File][]): void {
  const all = new Map(addresses.value);
  for (const [image, file] of files) {
    if (SHOWN.test(file.type)) {
      all.set(image, URL.createObjectURL(file));
    } else {
      all.delete(image);
    }
  }
  addresses.value = all;
}

export function fileAddress(image: string): string {
  return addresses.value.get(image) ?? '';
}
