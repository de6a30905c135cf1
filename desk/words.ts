// What the desk says. All of its words are here.
import { Refused, Unreachable } from './api/client';
import type { AccessRecord, ImageRecord } from './api/operations';
import type { UploadState } from './uploads/upload';

const NUMBERS = new Intl.NumberFormat('en');
const TIMES = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' });
const NAMES = new Intl.DisplayNames('en', { type: 'language' });

/** Return a number with its noun: `1 object`, `1,200 objects`. */
function some(count: number, noun: string, nouns = `${noun}s`): string {
  return `${NUMBERS.format(count)} ${count === 1 ? noun : nouns}`;
}

/** Return the first of some names. */
function listSome(names: readonly string[]): string {
  return `${names.slice(0, 5).join(', ')}${names.length > 5 ? ' …' : ''}`;
}

export function formatTime(moment: string): string {
  const date = new Date(moment);
  return Number.isNaN(date.getTime()) ? moment : TIMES.format(date);
}

export function formatBytes(bytes: number): string {
  return bytes < 100_000 ? `${NUMBERS.format(Math.ceil(bytes / 1_000))} kB` : `${NUMBERS.format(Math.round(bytes / 100_000) / 10)} MB`;
}

export function languageName(code: string): string {
  try {
    return code === 'none' ? 'without a language' : (NAMES.of(code) ?? code);
  } catch {
    return code;
  }
}

/** Return what an error means to a curator, and what to do. */
export function explain(error: unknown): string {
  if (error instanceof Unreachable || error instanceof TypeError) {
    return 'The service does not answer. Check the connection, then try again; nothing that you typed is lost.';
  }
  if (error instanceof Refused) {
    if (error.code === 'revision-changed') {
      return 'Somebody else changed it meanwhile. Reload the page, then try again.';
    }
    return [error.message, ...error.faults, error.advice].filter(Boolean).map(endSentence).join(' ');
  }
  return error instanceof Error ? error.message : String(error);
}

function endSentence(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}

export const LANGUAGES: ReadonlyMap<string, string> = new Map(
  ['en', 'de', 'fr', 'nl', 'es', 'it', 'pt', 'pl', 'cs', 'da', 'sv', 'nb', 'fi', 'el', 'uk', 'cy', 'ar', 'he', 'zh', 'ja'].map((code) => [
    code,
    languageName(code)
  ])
);

const RULES: Record<string, string> = {
  open: 'everybody sees all of it',
  closed: 'nobody sees it'
};

function describeRule(rule: string): string {
  const size = /^small:(\d+)/.exec(rule);
  return RULES[rule] ?? (size ? `everybody sees it at up to ${size[1]} pixels` : `only holders of the right “${rule}” see it`);
}

const STATES: Record<string, string> = {
  new: 'not published yet',
  published: 'published',
  waiting: 'published, waiting for its images',
  rejected: 'its file was rejected',
  withdrawn: 'withdrawn',
  gone: 'withdrawn',
  moved: 'has another identifier',
  redirect: 'has another identifier',
  absent: 'not described yet',
  described: 'too long for this list',
  draft: 'changed here, not published',
  conflict: 'somebody else changed it'
};

const UPLOAD_STATES: Record<UploadState, string> = {
  waiting: 'waiting',
  sending: 'being sent',
  offline: 'waiting for the connection',
  interrupted: 'interrupted',
  exists: 'is there already',
  processing: 'being prepared',
  published: 'prepared',
  rejected: 'rejected',
  failed: 'failed',
  refused: 'not taken'
};

const FIELDS: Record<string, string> = {
  label: 'Title',
  summary: 'Summary',
  metadata: 'Details',
  rights: 'Rights',
  required_statement: 'Credit',
  canvases: 'Images and their texts',
  members: 'List of objects',
  access: 'Who may see the images',
  part_of: 'Collections',
  thumbnail: 'Picture in lists'
};

export const words = {
  desk: 'Desk',
  site: 'The site',
  skip: 'Skip to the content',
  navigation: 'Desk',
  breadcrumb: 'Where you are',
  loading: 'Loading …',
  close: 'Close',
  startAgain: 'Start again',
  signOut: 'Sign out',
  counted: (text: string, count: number) => (count ? `${text} (${NUMBERS.format(count)})` : text),
  more: (count: number) => `and ${NUMBERS.format(count)} more`,
  version: (revision: number) => `version ${revision}`,
  seeOnSite: 'See it on the site',
  states: STATES,
  kinds: { object: 'object', collection: 'collection', redirect: 'has another identifier', withdrawn: 'withdrawn', unreadable: 'its record is damaged' },
  withdrawn: (reason: string) => `It was withdrawn. Everybody who asks for it reads: “${reason}”`,
  bringBackHow: 'To show it again, bring a version back, and publish it.',
  pages: {
    home: 'Collections',
    new: 'New collection',
    collections: 'Collection',
    objects: 'Object',
    uploads: 'Uploads',
    changes: 'Changes',
    failures: 'Rejected files',
    texts: 'Missing texts',
    calls: 'What the desk did'
  },
  home: {
    title: 'Collections',
    create: 'New collection',
    mayChange: (names: readonly string[]) =>
      names.length
        ? `You may change ${names.join(', ')}, and what belongs to ${names.length === 1 ? 'it' : 'them'}.`
        : 'You may look at everything, and change nothing: you are a member of no department.',
    none: { collections: 'There is no collection yet.', objects: 'There is no object yet.' },
    find: 'Find by identifier',
    identifier: 'Identifier of an object or a collection',
    open: 'Open',
    all: 'List all identifiers',
    more: 'More identifiers',
    objects: 'Newest objects',
    drafts: (count: number) => `${some(count, 'change')} in this browser ${count === 1 ? 'is' : 'are'} not published yet`,
    rejected: (count: number) => `${some(count, 'file')} ${count === 1 ? 'was' : 'were'} rejected: see why, and what to do`
  },
  create: {
    title: 'New collection',
    drop: 'Drop photographs, or a folder of them, here.',
    found: (count: number) => `${some(count, 'photograph')} chosen.`,
    name: 'Title of the collection',
    noTitle: 'Give the collection a title.',
    language: 'Language of the texts',
    rights: 'Rights of the images',
    rightsNote: 'Each object can have its own later.',
    identifier: 'Identifier',
    identifierNote: (name: string) => `The collection’s address will end with /collections/${name}. It stays for good.`,
    taken: (name: string) => `“${name}” is in use: choose another identifier.`,
    prefix: 'Put the collection’s identifier before the name of each image, as for pictures that a camera numbered',
    prefixed: 'Ticked for you, since the names of these files are a camera’s, and will come again.',
    about:
      'The files are sent at once; next you get a table of the objects, with titles from the names of the files. Nothing is listed or found on the site before you publish.',
    hold: 'Let nobody see the photographs before they are published',
    holdAbout: 'Otherwise, anyone who knows the address of a picture sees it as soon as it is prepared.',
    now: (count: number) => (count ? `Send ${some(count, 'file')}, and describe them` : 'Begin an empty collection')
  },
  collection: {
    description: 'Title, summary and rights of the collection',
    objects: (count: number) => `Objects (${NUMBERS.format(count)})`,
    more: 'Show more objects',
    drop: 'Drop photographs here to add objects to this collection.',
    listed: (count: number) => `${some(count, 'object')} on its list: publish the collection, then bring back here those that are withdrawn.`,
    absent: 'On the list, but not shown',
    bringBack: (count: number) => `Bring ${some(count, 'withdrawn object')} back`,
    bringBackAbout: 'Their images are restored at once; the objects are seen again once you publish them.',
    broughtBack: (count: number) => `${some(count, 'object')} ready to be published again.`,
    takeOff: (name: string) => `Take ${name} off the list`
  },
  object: {
    images: 'Images',
    description: 'Description',
    title: 'Title',
    summary: 'Summary',
    rights: 'Rights',
    noRights: 'Not stated',
    credit: 'Credit',
    creditNote: 'Shown wherever the object is, such as the photographer’s name.',
    details: 'Details',
    detailsNote: 'Several values of a detail are several lines.',
    pairLabel: (number: number) => `Name of detail ${number}`,
    pairValue: (name: string) => (name ? `${name}` : 'Value'),
    removePair: (name: string) => (name ? `Remove “${name}”` : 'Remove this detail'),
    addPair: 'Add a detail',
    imageOf: (number: number, title: string) => `Image ${number} of ${title}`,
    notThere: 'not published yet',
    altText: (number: number) => `Alternative text of image ${number}`,
    altNote: 'What the picture shows, in a sentence or two, for people who do not see it.',
    canvasLabel: (number: number) => `Label of image ${number}, such as a page number`,
    up: 'Up',
    down: 'Down',
    remove: 'Remove',
    moveUp: (number: number) => `Move image ${number} up`,
    moveDown: (number: number) => `Move image ${number} down`,
    removeImage: (number: number) => `Remove image ${number} from this object`,
    addImages: 'Drop files here to add images to this object.'
  },
  grid: {
    object: 'Object',
    altText: 'Alternative text',
    images: (count: number) => some(count, 'image'),
    keys: 'Arrow keys move. Type, or press Enter, to change a cell; Enter or Tab ends it, Shift and Enter begins a line, Escape gives it up. Copy and paste cells from a spreadsheet; Ctrl and Z undoes.',
    touch: 'Tap a cell, and once more to change it.',
    copied: (count: number) => `${some(count, 'cell')} copied.`,
    pasted: (rows: number) => `${some(rows, 'row')} pasted.`,
    rowsLeft: (count: number) => `${some(count, 'row')} did not fit: there are no more objects.`,
    columnsLeft: (count: number) => `${some(count, 'column')} did not fit, and ${count === 1 ? 'is' : 'are'} left out: undo, add new columns, and paste again.`,
    newColumn: 'New column',
    newColumnExample: 'Photographer',
    addColumn: 'Add the column'
  },
  bar: {
    label: 'Changes that are not published',
    changed: (count: number) => `${some(count, 'change')}, kept in this browser.`,
    faulty: (count: number) => `${count} cannot be published as ${count === 1 ? 'it is' : 'they are'}.`,
    conflicts: (count: number) => `${some(count, 'change')} by somebody else.`,
    checking: 'Checking …',
    publish: 'Publish …',
    giveUp: 'Give up changes',
    giveUpNow: (count: number) => `Give up ${some(count, 'change')} for good`,
    keep: 'Keep them'
  },
  publish: {
    title: 'Publish',
    created: (count: number) => `${some(count, 'new record')} will be seen by everybody:`,
    changed: (count: number) => `${some(count, 'record')} will change at once:`,
    restored: (count: number) => `${some(count, 'withdrawn record')} will be seen again:`,
    rejected: (count: number) =>
      `${some(count, 'record')} ${count === 1 ? 'lacks' : 'lack'} an image, since its file was rejected; with no other image, ${count === 1 ? 'it is' : 'they are'} not seen yet. Open the object to send another file:`,
    left: (count: number) => `${some(count, 'record')} will be left as ${count === 1 ? 'it is' : 'they are'}, until what is wrong is mended:`,
    lists: (names: readonly string[]) => `${names.length === 1 ? 'The list' : 'The lists'} of ${names.map((name) => `“${name}”`).join(', ')} will follow.`,
    when: 'Pages on the site follow within a minute or so. Every earlier version is kept, and can be brought back.',
    now: (count: number) => `Publish ${some(count, 'record')} now`,
    notYet: 'Not yet',
    done: (good: number, count: number) => `${NUMBERS.format(good)} of ${some(count, 'record')} published.`,
    waiting: (count: number) => `${some(count, 'record')} will be seen as soon as ${count === 1 ? 'its' : 'their'} images are there.`,
    conflict: 'somebody else changed it meanwhile.',
    compare: 'Compare both versions'
  },
  conflict: {
    title: 'Somebody else changed this meanwhile',
    about: (title: string, revision: number) => `“${title}” is at version ${revision} by now. Choose what is to hold of each field that differs.`,
    mine: 'Yours',
    theirs: 'Theirs',
    nothing: '(nothing)',
    take: 'Go on with this choice',
    giveUp: 'Give up yours',
    fields: FIELDS
  },
  changes: {
    title: 'Changes',
    about: 'They are in this browser only, until you publish them.',
    none: 'Everything that was changed in this browser is published.',
    giveUp: (title: string) => `Give up the change of ${title}`
  },
  preview: { title: 'Preview of its page', frame: 'The page as it would be' },
  history: {
    title: 'History',
    about: 'The newest version comes first. A version that you bring back becomes a change here; it is seen on the site once you publish it.',
    described: 'published as',
    redirect: 'renamed to',
    gone: 'withdrawn:',
    by: (who: string) => `by ${who.endsWith(':root') ? 'the administrator' : who}`,
    back: (revision: number) => `Bring version ${revision} back`,
    ready: (revision: number) => `Version ${revision} is back as a change: publish it to show it.`,
    earlier: 'Earlier versions'
  },
  rename: {
    title: 'Give it another identifier',
    about: (name: string) => `All addresses of “${name}” will redirect to the new identifier, for good. Changes of it that are not published are given up.`,
    to: 'New identifier',
    now: 'Rename it now'
  },
  withdraw: {
    title: 'Withdraw it',
    objects: 'Its page and its manifest will say that it was withdrawn, and why. Its images stay on the web: withdraw each of them above. You can bring the object back at any time.',
    collections: 'Its page will say that it was withdrawn, and why. Its objects stay on the web, unless you withdraw them as well. You can bring the collection back at any time.',
    whole: 'Withdraw all its objects and their images as well',
    wholeNow: 'Withdraw all of it …',
    whatGoes: (count: number) => `The collection, ${some(count, 'object')} and all of their images will be off the site.`,
    whatGoesNow: (count: number) => `Withdraw ${some(count, 'object')} and the collection now`,
    keep: 'Keep them',
    done: (done: number, count: number) => `${NUMBERS.format(done)} of ${some(count, 'object')} withdrawn.`,
    reason: 'Reason',
    reasonNote: 'Everybody who asks for it reads this.',
    now: 'Withdraw it now'
  },
  access: {
    ofCollection: 'Who may see its images',
    ofImage: 'Who may see it',
    aboutCollection: 'The rule holds for the images of all its objects, unless an image has a rule of its own. It is set when you publish.',
    about: 'The rule holds within a minute. Copies that browsers hold may be seen for a minute more.',
    who: 'Who sees it',
    asBefore: 'As before',
    inherited: 'As its collections say',
    open: 'Everybody, all of it',
    small: 'Everybody, at a small size',
    closed: 'Nobody',
    right: 'Holders of a right',
    pixels: 'Pixels of the longer side, at most',
    rightName: 'Name of the right',
    rightNote: 'As the institution’s table of rights has it, such as staff.',
    set: 'Set this rule now',
    changed: 'Somebody else has set another rule meanwhile. Look at it, then try again.',
    now: (found: AccessRecord) =>
      `At present ${describeRule(found.access)}${found.is_own ? ', by a rule of its own' : Object.keys(found.collections).length ? ', as its collections say' : ''}.`,
    done: (rule: string) => `Done: ${describeRule(rule)}.`
  },
  share: {
    title: 'Share it with somebody',
    about: 'Whoever has the link sees the image, although it is restricted.',
    now: 'Make a link',
    link: 'Link',
    days: 'Days for which it is good',
    until: (time: string) => `The link is good until ${time}.`
  },
  image: {
    panel: (number: number) => `Replace, restrict, share, rename or withdraw image ${number}`,
    none: 'There is no image of this identifier yet: its file is still to come.',
    noneAbout: 'Drop its file here: it is sent for this image.',
    states: {
      live: (one: ImageRecord) => `${one.width} × ${one.height} pixels, published ${formatTime(one.changed_at)}.`,
      redirect: (one: ImageRecord) => `It has another identifier by now: ${one.target}.`,
      gone: (one: ImageRecord) => `It was withdrawn: ${one.reason}`
    },
    replace: 'Replace the file',
    replaceAbout: 'Drop another file here: it takes the place of this picture at the same addresses, as soon as it is ready.',
    replacing: 'The new file is on its way.',
    replaced: 'The new file is shown now.',
    restore: 'Restore the image',
    restoreAbout: 'It is prepared from its master again, and comes back at the same addresses in a minute or so.',
    restoring: 'It is coming back.',
    rename: 'Give the image another identifier',
    renameAbout: 'Its addresses redirect to the new identifier, for good; objects that show it follow by themselves.',
    renamed: (name: string) => `It becomes “${name}” in a minute or so.`,
    redirect: 'Let an old identifier lead here',
    redirectAbout: 'Addresses of the old identifier, as those of a previous system, redirect to this image. An identifier that is in use is refused.',
    redirects: (names: string) => `These lead here: ${names}.`,
    redirectOld: 'Old identifier',
    redirectNow: 'Let it lead here',
    redirected: 'It leads here now.',
    withdraw: 'Withdraw the image',
    withdrawAbout: 'It is seen nowhere from now on, neither on pages nor in viewers; its addresses say why. Its master is kept, so you can restore it.'
  },
  uploads: {
    title: 'Uploads',
    drop: 'Drop files here to send them without a collection, or to go on with those that were interrupted.',
    summary: (done: number, count: number) => `${NUMBERS.format(done)} of ${some(count, 'file')} prepared.`,
    offline: 'The connection is broken: sending goes on as soon as it is back.',
    trouble: (count: number) => `${some(count, 'file')} ${count === 1 ? 'needs' : 'need'} you.`,
    see: 'See each file',
    clear: 'Take the prepared files off this list',
    states: UPLOAD_STATES,
    interrupted: 'Drop the same file again: only what is missing is sent.',
    exists: (image: string) => `There is a file of this name already, which shows “${image}”. If you send this one, it takes its place.`,
    replace: 'Replace the picture with this file',
    leave: 'Leave it as it is',
    identifier: 'Identifier of the image',
    again: 'Send it again',
    dismiss: 'Take it off this list'
  },
  drop: {
    files: 'Choose files',
    file: 'Choose a file',
    folder: 'Choose a folder',
    empty: (names: readonly string[]) => `Left out, since ${names.length === 1 ? 'it is' : 'they are'} empty: ${listSome(names)}. `,
    others: (names: readonly string[]) => `Left out, since ${names.length === 1 ? 'it is no image' : 'they are no images'}: ${listSome(names)}. `
  },
  failures: {
    title: 'Rejected files',
    about: (count: number) => (count ? `${some(count, 'file')} could not be published. What was published before stays as it was.` : 'No file was rejected.'),
    upload: 'Drop the mended file here: it is sent in the place of this one.'
  },
  texts: {
    title: 'Missing texts',
    link: 'Images without an alternative text',
    about: 'People who do not see these pictures know nothing of them yet. What you write is kept in this browser until you publish it.',
    none: 'No text is missing.',
    noPageText: 'The text of this page is missing as well.',
    altText: (language: string) => `Alternative text, ${language}`,
    propose: 'Propose a text',
    proposal: 'Proposal of a program',
    proposalNote: 'Nobody sees it before you accept it. Compare it with the picture, and correct it.',
    accept: 'Accept this text',
    reject: 'Reject it',
    more: 'Show more'
  },
  calls: {
    title: 'What the desk did',
    about: (count: number) => `${some(count, 'call')} of the API since this page was opened. Each can be repeated by a program, or with curl.`,
    copy: 'Copy as curl',
    copied: 'Copied.',
    unanswered: 'no answer'
  }
};
