// The words of a query, folded as vitrine/search/titles/words.py folds those of the index.

const MAX_WORD_LENGTH = 40;
const LETTERS = new Map([
  ['ß', 'ss'], ['æ', 'ae'], ['œ', 'oe'], ['ø', 'o'], ['đ', 'd'], ['ð', 'd'], ['þ', 'th'],
  ['ł', 'l'], ['ı', 'i'], ['ħ', 'h'], ['ς', 'σ'],
]);
const SPECIAL = new RegExp([...LETTERS.keys()].join('|'), 'gu');
// Diacritics of Latin, Greek and Cyrillic, points of Hebrew, Arabic and Syriac, and what no letter is.
// Marks of any other script are parts of its letters.
const FOLDED = new RegExp(
  '[\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640' +
  '\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u0711\u0730-\u074a' +
  '\u08ca-\u08e1\u08e3-\u08ff\u1ab0-\u1aff\u1dc0-\u1dff\u200d\u20d0-\u20f0\u2de0-\u2dff' +
  '\ua66f-\ua67d\ua69e\ua69f\ufb1e\ufe00-\ufe0f\ufe20-\ufe2f\u{e0100}-\u{e01ef}]',
  'gu',
);
const WORD = /[\p{L}\p{N}\p{M}]+/gu;
const SIGN = /\P{M}\p{M}*|^\p{M}+/gu;
// Han, Hiragana, Katakana, Thai, Lao, Burmese and Khmer, which are written without spaces.
const WITHOUT_SPACES = new RegExp(
  '[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff' +
  '\u{20000}-\u{3ffff}]+',
  'gu',
);

export function foldText(text) {
  const bare = text.toLowerCase().normalize('NFKD').replace(FOLDED, '');
  return bare.toLowerCase().replace(SPECIAL, (letter) => LETTERS.get(letter)).normalize('NFC');
}

// Of scripts without spaces, pairs of signs; the last sign is alone.
export function splitWords(text) {
  const words = [];
  for (const [word] of foldText(text).matchAll(WORD)) {
    let start = 0;
    for (const run of word.matchAll(WITHOUT_SPACES)) {
      if (run.index > start) words.push(cut(word.slice(start, run.index)));
      const signs = run[0].match(SIGN);
      signs.forEach((_, place) => words.push(signs.slice(place, place + 2).join('')));
      start = run.index + run[0].length;
    }
    if (start < word.length) words.push(cut(word.slice(start)));
  }
  return words;
}

function cut(word) {
  return [...word].slice(0, MAX_WORD_LENGTH).join('');
}
