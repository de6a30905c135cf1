// The words of a query, folded as vitrine/present/search/words.py folds those of the index.

const LONGEST = 40;
const LETTERS = new Map([
  ['ß', 'ss'], ['æ', 'ae'], ['œ', 'oe'], ['ø', 'o'], ['đ', 'd'], ['ð', 'd'], ['þ', 'th'],
  ['ł', 'l'], ['ı', 'i'], ['ħ', 'h'], ['ς', 'σ'],
]);
const SPECIAL = new RegExp([...LETTERS.keys()].join('|'), 'gu');
const MARKS = /\p{M}/gu;
const WORD = /[\p{L}\p{N}]+/gu;
// Han, Hiragana and Katakana, which are written without spaces between words.
const WITHOUT_SPACES = /[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u{20000}-\u{3ffff}]+/gu;

export function foldText(text) {
  const bare = text.toLowerCase().normalize('NFKD').replace(MARKS, '');
  return bare.toLowerCase().replace(SPECIAL, (letter) => LETTERS.get(letter));
}

// Of scripts without spaces, pairs of signs; the last sign is alone.
export function splitWords(text) {
  const words = [];
  for (const [word] of foldText(text).matchAll(WORD)) {
    let start = 0;
    for (const run of word.matchAll(WITHOUT_SPACES)) {
      if (run.index > start) words.push(cut(word.slice(start, run.index)));
      const signs = [...run[0]];
      signs.forEach((_, place) => words.push(signs.slice(place, place + 2).join('')));
      start = run.index + run[0].length;
    }
    if (start < word.length) words.push(cut(word.slice(start)));
  }
  return words;
}

function cut(word) {
  return [...word].slice(0, LONGEST).join('');
}
