// A map of the world with what has a place: clusters that are drawn for what is in sight, and the
// cards of those that somebody chooses. What it says and where it shows it stands in map.html.

import { Index } from '../search/index.js';
import { card } from '../search/results.js';

const SVG = 'http://www.w3.org/2000/svg';
const [WIDTH, HEIGHT] = [3600, 1800]; // tenths of a degree from 180 W and 90 N
const CELL = 5; // tenths of a degree that a cell of the index is wide and high
const FINGER = 3 * parseFloat(getComputedStyle(document.documentElement).fontSize); // pixels of a cluster, at least
const CLOSEST = 60; // tenths of a degree that the map shows at least
const PAGE = 24; // cards that are shown at once

const section = document.querySelector('[data-map]');
const svg = section.querySelector('svg');
const layer = svg.querySelector('g');
const status = section.querySelector('[role=status]');
const list = section.querySelector('.cards');
const more = section.querySelector('.more');
const words = JSON.parse(section.dataset.words);
const numbers = new Intl.NumberFormat(document.documentElement.lang);
const say = (name, values = {}) => words[name].replace(/\{(\w+)\}/g, (whole, key) => values[key] ?? whole);
const page = { language: document.documentElement.lang, suffix: section.dataset.suffix, say };
const index = new Index();
const view = { x: 0, y: 0, width: WIDTH };
let cells = [];
let chosen = [];

async function start() {
  try {
    const answer = await fetch('/search/index/places.json');
    const counted = answer.ok ? (await answer.json()).cells : {};
    cells = Object.entries(counted).map(([name, count]) => {
      const [east, south] = name.split('-').map(Number);
      return { name, count, x: (east + 0.5) * CELL, y: (south + 0.5) * CELL };
    });
    if (!cells.length) status.textContent = say('map_empty');
    draw();
  } catch {
    status.textContent = say('map_trouble');
  }
}

function draw() {
  const height = view.width / 2;
  svg.setAttribute('viewBox', `${view.x} ${view.y} ${view.width} ${height}`);
  const side = (view.width * FINGER) / Math.max(svg.clientWidth, FINGER);
  const clusters = new Map();
  for (const cell of cells) {
    const isSeen = cell.x >= view.x && cell.x <= view.x + view.width && cell.y >= view.y && cell.y <= view.y + height;
    if (!isSeen) continue;
    const key = `${Math.floor(cell.x / side)} ${Math.floor(cell.y / side)}`;
    const cluster = clusters.get(key) ?? { names: [], count: 0, x: 0, y: 0 };
    cluster.names.push(cell.name);
    cluster.count += cell.count;
    cluster.x += cell.x * cell.count;
    cluster.y += cell.y * cell.count;
    clusters.set(key, cluster);
  }
  const ordered = [...clusters.values()].sort((one, other) => other.count - one.count);
  const most = ordered[0]?.count ?? 1;
  layer.replaceChildren(...ordered.map((cluster) => mark(cluster, side, most)));
}

function mark({ names, count, x, y }, side, most) {
  const [at, down] = [x / count, y / count];
  const radius = side * (0.46 + 0.14 * Math.sqrt(count / most));
  const button = shape('g', { role: 'button', tabindex: '0', 'aria-label': describe(count, at, down) });
  const number = shape('text', { x: at, y: down, 'font-size': side * 0.3 });
  number.textContent = numbers.format(count);
  button.append(shape('circle', { cx: at, cy: down, r: radius }), number);
  const open = () => show(names, count, at, down);
  button.addEventListener('click', open);
  button.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' && event.key !== ' ') return;
    event.preventDefault();
    open();
  });
  return button;
}

function describe(count, x, y) {
  const [north, east] = [90 - y / 10, x / 10 - 180];
  const place = `${numbers.format(Math.round(north))}°, ${numbers.format(Math.round(east))}°`;
  return say(count === 1 ? 'map_cluster_one' : 'map_cluster_many', { count: numbers.format(count), place });
}

async function show(names, count, x, y) {
  const opened = (chosen = []);
  try {
    const found = await Promise.all(names.map((name) => index.query('', [['cell', name]])));
    if (opened !== chosen) return;
    chosen = found.flatMap((one) => [...one.found]);
    status.textContent = describe(count, x, y);
    list.replaceChildren();
    await append();
    if (names.length > 1) zoom(0.5, x, y);
    status.scrollIntoView({ block: 'nearest' });
  } catch {
    status.textContent = say('map_trouble');
  }
}

async function append() {
  const place = list.childElementCount;
  const cards = await index.cards(chosen.slice(place, place + PAGE));
  list.append(...cards.filter(Boolean).map((one) => card(one, page, PAGE)));
  more.hidden = place + PAGE >= chosen.length;
}

// Show a part of the map that is so many times as wide, around a point.
function zoom(factor, x = view.x + view.width / 2, y = view.y + view.width / 4) {
  const width = Math.min(WIDTH, Math.max(CLOSEST, view.width * factor));
  move(x - width / 2, y - width / 4, width);
}

function move(x, y, width = view.width) {
  view.width = width;
  view.x = Math.min(Math.max(0, x), WIDTH - width);
  view.y = Math.min(Math.max(0, y), HEIGHT - width / 2);
  draw();
}

function shape(name, attributes) {
  const element = document.createElementNS(SVG, name);
  Object.entries(attributes).forEach(([key, value]) => element.setAttribute(key, value));
  return element;
}

const ZOOMS = { in: () => zoom(0.5), out: () => zoom(2), whole: () => move(0, 0, WIDTH) };
section.querySelectorAll('[data-zoom]').forEach((button) => button.addEventListener('click', ZOOMS[button.dataset.zoom]));
more.addEventListener('click', append);
svg.addEventListener('keydown', ({ key }) => {
  const step = view.width / 8;
  const [right, down] = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[key] ?? [0, 0];
  if (right || down) move(view.x + right * step, view.y + down * step);
});
let drag = null;
svg.addEventListener('pointerdown', (event) => {
  drag = { x: event.clientX, y: event.clientY, left: view.x, top: view.y };
});
svg.addEventListener('pointermove', (event) => {
  if (!drag || !event.buttons) return;
  const scale = view.width / svg.clientWidth;
  move(drag.left - (event.clientX - drag.x) * scale, drag.top - (event.clientY - drag.y) * scale);
});
start();
