// @ts-check
// The way in to an image that not everybody sees: what the institution says of it, a link to sign in
// or to accept its terms, and then the image. IIIF Authorization Flow 2.0; since the services are of
// this very site, the cookie that they set is what opens the image, and no token is needed.
import { here } from './canvases.js';
import { iconButton, make } from './elements.js';
import { WHOLE } from './speech.js';
import { magnification, visibleRegion } from './stage.js';

/** @typedef {import('./canvases.js').Canvas} Canvas */
/** @typedef {Record<string, string[]>} Texts by language */
/** @typedef {{ profile: string, id?: string, service: any[], label: Texts, heading?: Texts, note?: Texts, confirmLabel?: Texts }} Service */

const LOOK_MILLISECONDS = 300;

/**
 * Return the address at which those with a right see all of an image.
 * @param {Canvas} canvas
 */
function restrictedAddress({ image, right }) {
  return image.replace(/^(https?:\/\/[^/]+)(?:\/restricted\/[^/]+)?\/iiif\//, `$1/restricted/${right}/iiif/`);
}

/**
 * Return the image information if this visitor sees all of an image, and the service of access.
 * @param {Canvas} canvas
 * @returns {Promise<{ information: any, service: Service | null }>}
 */
async function askImage(canvas) {
  const address = restrictedAddress(canvas);
  const answer = await fetch(`${address}/info.json`, { cache: 'no-store' }).catch(() => null);
  const information = await answer?.json().catch(() => null);
  // Who is not let in gets 401; an image that is open again is led to from here.
  const isLetIn = answer?.ok && here(information.id) === address;
  const probe = information?.service?.find((/** @type {any} */ one) => one.type === 'AuthProbeService2');
  return { information: isLetIn ? information : null, service: probe?.service[0] ?? null };
}

/**
 * Get a ticket of the place where somebody is: it needs nothing of them.
 * @param {Service} service
 */
async function askPlace({ service }) {
  const token = service.find(({ type }) => type === 'AuthAccessTokenService2');
  const query = new URLSearchParams({ messageId: 'place', origin: location.origin });
  const answer = await fetch(`${here(token.id)}?${query}`).catch(() => null);
  await answer?.text().catch(() => ''); // only the cookie counts, but a body that nobody reads stays open
}

/**
 * Make an element with a text in the page's language, or else in another one.
 * @template {'a' | 'p' | 'strong'} Name
 * @param {Name} name
 * @param {Texts} texts
 */
function makeText(name, texts) {
  const wanted = document.documentElement.lang;
  const order = [wanted, wanted.split('-')[0], 'en', ...Object.keys(texts)];
  const language = order.find((one) => texts[one]) ?? '';
  return make(name, language && language !== wanted ? { lang: language } : {}, (texts[language] ?? []).join(' '));
}

export class WayIn {
  /**
   * @param {import('./image-viewer.js').ImageViewer} viewer
   * @param {import('./words.js').Say} say
   */
  constructor(viewer, say) {
    this.viewer = viewer;
    this.say = say;
    this.element = make('div', { class: 'way-in', role: 'group', 'aria-label': say('wayIn') });
    this.element.hidden = true;
    viewer.stages.append(this.element);
    this.question = 0;
    /** @type {Window | null} */
    this.opened = null;
    window.addEventListener('focus', () => this.opened && this.ask());
  }

  /** Show the images on the stage to those who are let in, and the others what lets them in. */
  async ask() {
    const question = ++this.question;
    const shown = this.viewer.shown.map((page) => this.viewer.canvases[page]);
    const waiting = shown.filter(({ right, isLetIn }) => right && !isLetIn);
    const found = await Promise.all(waiting.map((canvas) => this.find(canvas)));
    if (question !== this.question) {
      return;
    }
    const factor = waiting.reduce((last, canvas, number) => this.admit(canvas, found[number].information) || last, 0);
    if (factor) {
      await this.reveal(factor);
    }
    const place = waiting.findIndex(({ isLetIn }) => !isLetIn);
    if (place < 0) {
      this.hide();
    } else if (found[place].service || waiting[place].isHidden) {
      this.show(waiting[place], found[place].service);
    }
  }

  /** @param {Canvas} canvas */
  async find(canvas) {
    const found = await askImage(canvas);
    if (found.information || found.service?.profile !== 'external') {
      return found;
    }
    await askPlace(found.service);
    return askImage(canvas);
  }

  /**
   * Give a canvas all of its image; return how many times as wide that is, 0 without it.
   * @param {Canvas} canvas
   * @param {any} information
   */
  admit(canvas, information) {
    if (!information) {
      return 0;
    }
    const { width, height, sizes, tiles } = information;
    const factor = width / canvas.width;
    const { scale, resolution } = canvas;
    const whole = { width, height, sizes: sizes ?? [], tile: tiles[0].width, shown: null };
    Object.assign(canvas, whole, { scale: scale * factor, resolution: resolution * factor });
    this.viewer.canvases
      .filter((one) => one === canvas || (one.right === canvas.right && one.isHidden))
      .forEach((one) => Object.assign(one, { image: restrictedAddress(one), isLetIn: true, isHidden: false }));
    return factor;
  }

  /**
   * Put the images on the stage again, of which more may be seen now.
   * @param {number} factor how many times as wide the image is
   */
  async reveal(factor) {
    const { viewer, element } = this;
    const hadFocus = element.contains(document.activeElement);
    const { x, y, width, height } = visibleRegion(viewer.osd);
    const region = { x: x * factor, y: y * factor, width: width * factor, height: height * factor };
    const isDetail = viewer.shown.length === 1 && magnification(viewer.osd) > WHOLE;
    viewer.figure.querySelector('.canvases')?.classList.add('covered');
    await viewer.openPages(isDetail ? region : null);
    viewer.applyFilter();
    viewer.dispatchEvent(new Event('let-in'));
    if (hadFocus) {
      viewer.osd.canvas.focus();
    }
    if (this.opened) {
      viewer.speech?.say(this.say('letIn', { label: viewer.canvas.label }));
    }
  }

  /**
   * Ask again for an image that is not shown any more, or was not known to need a right.
   * @param {Canvas} canvas
   * @param {string} address that answered 401
   */
  close(canvas, address) {
    const [, right] = new URL(address).pathname.match(/^\/restricted\/([^/]+)\//) ?? [];
    Object.assign(canvas, { right: right ?? '', isLetIn: false, isHidden: true });
    return this.ask();
  }

  hide() {
    this.element.hidden = true;
    this.opened = null;
  }

  /**
   * @param {Canvas} canvas
   * @param {Service | null} service
   */
  show(canvas, service) {
    const sentence = this.say(canvas.isHidden ? 'restricted' : 'restrictedSmall', { label: canvas.label });
    const heading = service?.heading ? makeText('strong', service.heading) : make('strong', {}, sentence);
    const note = service?.note ? [makeText('p', service.note)] : [];
    const refusal = this.opened?.closed ? [make('p', {}, this.say('notLetIn'))] : [];
    const link = service?.profile === 'active' ? [this.link(service)] : [];
    const place = service?.profile === 'external' ? [makeText('p', service.label)] : [];
    const close = canvas.isHidden ? [] : [iconButton('close', this.say('close'), () => this.hide())];
    const hadFocus = this.element.contains(document.activeElement);
    this.element.replaceChildren(heading, ...note, ...refusal, ...place, ...link, ...close);
    this.element.hidden = false;
    if (hadFocus) {
      link[0]?.focus();
    }
    const said = [heading, ...note, ...refusal, ...place, ...link].map((one) => one.textContent?.replace(/\.$/, ''));
    this.viewer.speech?.say(said.join('. '));
  }

  /**
   * Make the link that opens the access service.
   * @param {Service} service
   */
  link(service) {
    const link = makeText('a', service.confirmLabel ?? service.label);
    link.className = 'plain';
    link.target = '_blank';
    link.href = `${here(service.id ?? '')}?${new URLSearchParams({ origin: location.origin })}`;
    link.setAttribute('aria-label', this.say('newTab', { name: link.textContent ?? '' }));
    link.addEventListener('click', (event) => {
      // A window that a script has opened can close itself, and its end is seen.
      this.opened = window.open(link.href);
      if (this.opened) {
        event.preventDefault();
        this.lookAfter(this.opened);
      }
    });
    return link;
  }

  /** @param {Window} opened */
  lookAfter(opened) {
    const timer = setInterval(() => {
      if (opened !== this.opened || opened.closed) {
        clearInterval(timer);
      }
      if (opened === this.opened && opened.closed) {
        this.ask();
      }
    }, LOOK_MILLISECONDS);
  }
}
