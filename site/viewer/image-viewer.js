// @ts-check
// The viewer of a figure: what it shows, and what can be done with it.
import { ComparedImage } from './compare.js';
import { make } from './elements.js';
import { ScaleBar } from './scale-bar.js';
import { Speech, WHOLE, describeView } from './speech.js';
import { arrangeOpenings, isBook, isWide } from './spreads.js';
import { ZOOM_STEP, magnification, middlePlace, openImages, openStage } from './stage.js';
import { Trouble } from './trouble.js';
import { WayIn } from './way-in.js';

/** @typedef {import('./canvases.js').Canvas} Canvas */
/** @typedef {import('./stage.js').Region} Region */
/** @typedef {import('./words.js').Say} Say */

export class ImageViewer extends EventTarget {
  /**
   * @param {any} library OpenSeadragon
   * @param {HTMLElement} figure
   * @param {Canvas[]} canvases
   */
  constructor(library, figure, canvases) {
    super();
    this.library = library;
    this.figure = figure;
    this.canvases = canvases;
    this.page = 0;
    this.isBook = isBook(figure) && canvases.length > 2;
    this.openings = arrangeOpenings(canvases);
    this.inPairs = false;
    this.embedded = location.pathname.startsWith('/embed/');
    this.stages = make('div', { class: 'stages' });
    this.element = make('div', { class: 'stage' });
    this.stages.append(this.element);
    figure.append(this.stages);
    this.osd = openStage(library, this.element, { cooperative: this.embedded });
    /** @type {ComparedImage | null} */
    this.compared = null;
    this.filter = '';
  }

  /** The canvas in the middle of the stage. */
  get canvas() {
    const places = this.isOpen() ? this.places : [this.page];
    return this.canvases[places[middlePlace(this.osd)] ?? this.page];
  }

  /** The pages on the stage, in reading order: two of a book where it lies open. */
  get shown() {
    const opening = this.openings.find((pages) => pages.includes(this.page)) ?? [];
    return this.inPairs && !this.compared ? opening : [this.page];
  }

  /** The pages on the stage from left to right. */
  get places() {
    return this.figure.dataset.direction === 'right-to-left' ? [...this.shown].reverse() : this.shown;
  }

  /** Every OpenSeadragon on the stage. */
  get osds() {
    return this.compared ? [this.osd, this.compared.osd] : [this.osd];
  }

  /**
   * Show a page for the first time, before the viewer has words.
   * @param {number} page
   * @param {Region | null} region
   */
  async open(page, region) {
    this.page = page;
    const list = this.figure.querySelector('.canvases');
    if (region || page) {
      list?.classList.add('covered');
    } else {
      // The page's own picture stays below until all of it is drawn above.
      this.coverWhenDrawn(list);
    }
    this.inPairs = this.isBook && isWide(this.element, this.canvases[1]);
    await this.openPages(region);
    this.expect();
  }

  /** @param {Region | null} [region] of the page that was asked for */
  openPages(region = null) {
    const pages = this.places;
    const canvases = pages.map((page) => this.canvases[page]);
    return openImages(this.osd, canvases, { region, place: pages.indexOf(this.page) });
  }

  /** Show one page of a book at a time, or two. */
  async togglePairs() {
    this.inPairs = !this.inPairs;
    this.endComparison();
    await this.showPages();
  }

  /**
   * Turn to the page or opening that comes so many later.
   * @param {number} step
   */
  async turnPage(step) {
    if (!this.inPairs) {
      return this.show(this.page + step);
    }
    const place = this.openings.findIndex((pages) => pages.includes(this.page));
    return this.show(this.openings[place + step]?.[0] ?? -1);
  }

  /** @param {Element | null} list */
  coverWhenDrawn(list) {
    const cover = () => list?.classList.add('covered');
    this.osd.addOnceHandler('open', () => {
      const image = /** @type {any} */ (this.osd.world.getItemAt(0));
      image.addHandler('fully-loaded-change', cover);
    });
    this.osd.addOnceHandler('canvas-drag', cover);
    this.osd.addOnceHandler('zoom', (event) => event.zoom > this.osd.viewport.getHomeZoom() * 1.01 && cover());
    this.addEventListener('turn', cover, { once: true });
  }

  /**
   * Begin to speak and to write.
   * @param {Say} say
   */
  useWords(say) {
    this.say = say;
    this.numbers = new Intl.NumberFormat(document.documentElement.lang || 'en');
    this.speech = new Speech(this.figure);
    this.trouble = new Trouble(this, say);
    this.trouble.watch(this.osd, () => this.canvas);
    this.wayIn = new WayIn(this, say);
    this.scale = new ScaleBar(this.element, say, this.numbers);
    this.nameCanvas();
    const draw = () => this.scale?.draw(this.osd, this.canvas.resolution);
    ['open', 'viewport-change', 'resize'].forEach((name) =>
      this.osd.addHandler(/** @type {any} */ (name), draw),
    );
    draw();
    this.expect();
    ['animation-finish', 'rotate', 'flip'].forEach((name) =>
      this.osd.addHandler(/** @type {any} */ (name), () => this.speech?.sayAtRest(() => this.describe())),
    );
  }

  /** Say nothing of a view that nobody chose. */
  expect() {
    if (this.speech) {
      this.speech.last = this.describe();
    }
  }

  isOpen() {
    return this.osd.world.getItemCount() > 0;
  }

  /** What is on the stage, as a sentence. */
  describe() {
    return this.say && this.numbers && this.isOpen() ? describeView(this.osd, this.say, this.numbers) : '';
  }

  nameCanvas() {
    const { label, description, alternative } = this.canvas;
    const surface = this.osd.canvas;
    surface.setAttribute('role', 'application');
    surface.setAttribute('aria-label', this.say?.('canvas', { label }) ?? label);
    const told = description || alternative;
    surface.removeAttribute('aria-description');
    if (told && told !== label) {
      surface.setAttribute('aria-description', told);
    }
  }

  /** @param {number} factor */
  zoom(factor) {
    this.lead();
    this.osd.viewport.zoomBy(factor);
    this.osd.viewport.applyConstraints();
  }

  zoomIn() {
    this.zoom(ZOOM_STEP);
  }

  zoomOut() {
    this.zoom(1 / ZOOM_STEP);
  }

  whole() {
    this.lead();
    this.osd.viewport.goHome();
  }

  /** @param {number} degrees as seen on the screen, clockwise */
  turn(degrees) {
    this.lead();
    this.dispatchEvent(new Event('turn'));
    const { viewport } = this.osd;
    const isWhole = magnification(this.osd) <= WHOLE;
    const now = Math.round(viewport.getRotation() / 90) * 90;
    viewport.setRotation(now + (viewport.getFlip() ? -degrees : degrees));
    if (isWhole) {
      viewport.goHome(); // it is another size when it lies on its side
    }
  }

  flip() {
    this.lead();
    this.dispatchEvent(new Event('turn'));
    this.osd.viewport.toggleFlip();
  }

  lead() {
    this.compared?.step.lead(this.osd);
  }

  /**
   * Turn to a page, if there is one of this number.
   * @param {number} page
   */
  async show(page) {
    if (page < 0 || page >= this.canvases.length || page === this.page) {
      return;
    }
    const isThere = this.shown.includes(page);
    this.page = page;
    if (!isThere) {
      await this.showPages();
    }
  }

  /** Put the present page, or its opening, on the stage. */
  async showPages() {
    this.figure.querySelector('.canvases')?.classList.add('covered');
    this.trouble?.clear();
    this.dispatchEvent(new Event('page'));
    this.speech?.say(this.shown.map((page) => this.sayPage(page)).join('. '));
    await this.openPages();
    this.nameCanvas();
    this.expect();
    this.applyFilter();
    this.wayIn?.ask();
  }

  /** @param {number} page */
  sayPage(page) {
    const { label, description, alternative } = this.canvases[page];
    const values = { number: page + 1, count: this.canvases.length, label };
    return [this.say?.('page', values), description || alternative].filter(Boolean).join('. ');
  }

  /** Say the view, and the description of what is seen. */
  sayWhere() {
    const { label, description, alternative } = this.canvas;
    this.speech?.say([label, this.describe(), description || alternative].filter(Boolean).join('. '));
  }

  /** @param {string} filter of CSS, or nothing */
  adjust(filter) {
    this.filter = filter;
    this.applyFilter();
  }

  applyFilter() {
    this.osds.forEach((osd) => {
      /** @type {any} */ (osd).drawer.canvas.style.filter = this.filter;
    });
  }

  /** @param {Canvas} canvas */
  async compare(canvas) {
    this.endComparison();
    const wasPair = this.shown.length > 1;
    this.compared = new ComparedImage(this, canvas);
    if (wasPair) {
      await this.openPages(); // one page: it is what is compared
    }
    await this.compared.open();
    this.applyFilter();
    this.dispatchEvent(new Event('compare'));
    this.speech?.say(this.say?.('spokenCompare', { label: canvas.label }) ?? '');
  }

  endComparison() {
    const wasAlone = this.compared !== null;
    this.compared?.close();
    this.compared = null;
    if (wasAlone && this.shown.length > 1) {
      this.openPages();
    }
    this.dispatchEvent(new Event('compare'));
  }

  async toggleFull() {
    if (document.fullscreenElement) {
      await document.exitFullscreen();
    } else {
      await this.figure.requestFullscreen();
    }
  }
}
