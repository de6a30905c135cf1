// The gallery: one list fetched once, drawn once.
import { closeViewer, openViewer } from '/viewer.js';
import { copyOnClick, imageAddress, informationAddress } from '/addresses.js';

const SECONDS_BETWEEN_LOOKS = 4;
const THUMBNAIL_BOUNDS = [400, 800]; // pixels; the same for everyone, so that the edge keeps few
const RATIO_LIMITS = [0.75, 3]; // beyond these a thumbnail stands on a mat; none is cropped

const numbers = new Intl.NumberFormat('en');
const dates = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium' });
const element = (id) => document.getElementById(id);

/** What a browser may choose from: never wider than the image, since version 3 does not enlarge. */
function thumbnails({ identifier, width, height }) {
  const longest = Math.max(width, height);
  const smaller = THUMBNAIL_BOUNDS.filter((bound) => bound < longest);
  const choices = smaller.map((bound) => ({
    address: imageAddress(identifier, `!${bound},${bound}`),
    width: Math.max(1, Math.round((bound * width) / longest)),
  }));
  if (smaller.length < THUMBNAIL_BOUNDS.length) {
    choices.push({ address: imageAddress(identifier, 'max'), width });
  }
  return choices;
}

function describe({ width, height, published_at: publishedAt }) {
  const size = `${numbers.format(width)} × ${numbers.format(height)} px`;
  return publishedAt ? `${size} · ${dates.format(new Date(publishedAt))}` : size;
}

function draw(image) {
  const work = element('work').content.cloneNode(true);
  const [item, link, picture] = ['.work', '.open', 'img'].map((name) => work.querySelector(name));
  const ratio = Math.min(Math.max(image.width / image.height, RATIO_LIMITS[0]), RATIO_LIMITS[1]);
  const choices = thumbnails(image);
  item.style.setProperty('--ratio', ratio.toFixed(4));
  link.href = `#${encodeURIComponent(image.identifier)}`;
  work.querySelector('.title').textContent = image.identifier;
  work.querySelector('.size').textContent = describe(image);
  picture.width = image.width;
  picture.height = image.height;
  picture.sizes = `(max-width: 40rem) 92vw, ${Math.round(ratio * 260)}px`;
  picture.srcset = choices.map((choice) => `${choice.address} ${choice.width}w`).join(', ');
  picture.src = choices[0].address;
  const address = work.querySelector('code');
  address.textContent = informationAddress(image.identifier);
  address.title = address.textContent;
  copyOnClick(work.querySelector('.copy'), () => address.textContent, image.identifier);
  return work;
}

/** The published images, newest first; none when nothing was ever published. */
async function published() {
  const answer = await fetch('/gallery.json', { cache: 'no-cache' });
  if (answer.status === 404) {
    return [];
  }
  if (!answer.ok) {
    throw new Error(`gallery.json: ${answer.status}`);
  }
  return (await answer.json()).images;
}

function count(images) {
  if (images === 0) {
    return '';
  }
  return images === 1 ? '1 image' : `${numbers.format(images)} images`;
}

async function show() {
  let images = null;
  try {
    images = await published();
  } catch {
    element('count').textContent = '';
  }
  element('failure').hidden = images !== null;
  element('empty').hidden = !images || images.length > 0;
  if (images) {
    element('count').textContent = count(images.length);
    element('gallery').replaceChildren(...images.map(draw));
  }
  if (images && images.length === 0) {
    setTimeout(show, SECONDS_BETWEEN_LOOKS * 1000);
  }
}

function followAddress() {
  let identifier = '';
  try {
    identifier = decodeURIComponent(location.hash.slice(1));
  } catch {
    history.replaceState(null, '', location.pathname); // a torn link: the gallery it is
  }
  if (identifier) {
    openViewer(identifier);
  } else {
    closeViewer();
  }
}

/** Marks an entry of the history that Back leads from to the gallery, so that closing goes back. */
function markEntry({ oldURL }) {
  if (location.hash && !new URL(oldURL).hash && !history.state) {
    history.replaceState({ fromGallery: true }, '');
  }
}

element('retry').addEventListener('click', show);
window.addEventListener('hashchange', (event) => {
  markEntry(event);
  followAddress();
});
followAddress();
show();
