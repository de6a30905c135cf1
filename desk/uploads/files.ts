// Files that somebody drops or chooses, also in folders, and the names that they get.

/** A file, and its path in the folder that was dropped. */
export interface FoundFile {
  file: File;
  path: string;
}

const IMAGES = /\.(tiff?|jpe?g|jp2|j2k|jpx|jpf|png|webp|avif|gif|bmp|psd|psb)$/i;
/** Names of cameras, which come again with every other card: IMG_0001, DSC01234, P1010001, 0001. */
const CAMERA = /^(img|dsc[nf]?|dscf|p|pict|imag|scan|image|photo)?[_-]?\d{3,}$/i;
const MAX_BYTES = 255; // of an identifier, in UTF-8

/** Return the files of a drop, folders with all that is in them. */
export async function readDrop(transfer: DataTransfer): Promise<FoundFile[]> {
  const entries = [...transfer.items].flatMap((item) => item.webkitGetAsEntry() ?? []);
  if (!entries.length) {
    return listFiles(transfer.files);
  }
  const found = await Promise.all(entries.map((entry) => readEntry(entry)));
  return sortFiles(found.flat());
}

/** Return chosen files. */
export function listFiles(files: FileList | readonly File[] | null): FoundFile[] {
  return sortFiles([...(files ?? [])].map((file) => ({ file, path: file.webkitRelativePath || file.name })));
}

/** Return the files that look like images, and the names of empty ones and of the others. */
export function chooseImages(found: readonly FoundFile[]): { images: FoundFile[]; empty: string[]; others: string[] } {
  const looking = found.filter(({ file }) => IMAGES.test(file.name));
  return {
    images: looking.filter(({ file }) => file.size > 0),
    empty: looking.filter(({ file }) => file.size === 0).map(({ path }) => path),
    others: found.filter(({ file }) => !IMAGES.test(file.name)).map(({ path }) => path)
  };
}

function sortFiles(found: FoundFile[]): FoundFile[] {
  const order = new Intl.Collator(undefined, { numeric: true });
  return found.filter(({ file }) => !file.name.startsWith('.')).sort((a, b) => order.compare(a.path, b.path));
}

async function readEntry(entry: FileSystemEntry): Promise<FoundFile[]> {
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject));
    return [{ file, path: entry.fullPath.replace(/^\//, '') }];
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const found: FoundFile[] = [];
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (!some.length) {
      return found;
    }
    found.push(...(await Promise.all(some.map((one) => readEntry(one)))).flat());
  }
}

/** Return a file's name without its extension. */
export function stemOf(name: string): string {
  return name.replace(/(.)\.[^.]+$/, '$1').normalize('NFC');
}

/** Return a title from a file's name: `view-from_the tower.jpg` becomes `View from the tower`. */
export function titleOf(name: string): string {
  const stem = stemOf(name);
  const words = CAMERA.test(stem) ? stem : stem.replace(/[_-]+/g, ' ').replace(/\s+/g, ' ').trim();
  return words.charAt(0).toUpperCase() + words.slice(1) || name;
}

/** Return an identifier made of a text: Latin letters, digits and hyphens, or the text's own signs. */
export function slugOf(text: string): string {
  const plain = text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  const slug = plain.replace(/[^\p{L}\p{N}]+/gu, '-').replace(/^-|-$/g, '').normalize('NFC');
  return shorten(slug);
}

/** Return true if these names say nothing by themselves, and will come again. */
export function areCameraNames(found: readonly FoundFile[]): boolean {
  return found.filter(({ file }) => CAMERA.test(stemOf(file.name))).length > found.length / 2;
}

/** Return an identifier for each file; no two are the same. */
export function nameImages(found: readonly FoundFile[], prefix: string): string[] {
  const taken = new Set<string>();
  return found.map(({ file }) => {
    const stem = slugKeepingCase(stemOf(file.name));
    const whole = shorten(prefix ? `${prefix}-${stem}` : stem);
    let name = whole;
    for (let number = 2; taken.has(name); number++) {
      name = `${whole}-${number}`;
    }
    taken.add(name);
    return name;
  });
}

/** Return the folder of a collection's masters, as the service names it. */
export function collectionFolder(collection: string): string {
  const folder = `${collection.normalize('NFC').replaceAll('%', '%25').replaceAll('/', '%2F')}/`;
  return folder === 'photos/' ? '%70hotos/' : folder;
}

function slugKeepingCase(text: string): string {
  return text.replace(/[^\p{L}\p{M}\p{N}._-]+/gu, '-').replace(/^[-.]+|[-.]+$/g, '') || 'image';
}

function shorten(text: string): string {
  let short = text;
  while (new TextEncoder().encode(short).length > MAX_BYTES - 10) {
    short = short.slice(0, -1);
  }
  return short;
}
