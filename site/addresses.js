// The addresses of an image, and a button that copies one.

/** The one spelling that info.json carries too, so that the edge keeps each answer once. */
const encoded = (identifier) =>
  encodeURIComponent(identifier)
    .replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('%3A', ':');

export const informationAddress = (identifier) =>
  `${location.origin}/iiif/3/${encoded(identifier)}/info.json`;

export const imageAddress = (identifier, size) =>
  `/iiif/3/${encoded(identifier)}/full/${size}/0/default.jpg`;

/** Clipboards exist only on https and on this machine; elsewhere an old way still works. */
async function copy(text, near) {
  if (navigator.clipboard) {
    return navigator.clipboard.writeText(text);
  }
  const field = document.createElement('textarea');
  field.value = text;
  field.className = 'unseen';
  near.after(field);
  field.select();
  const done = document.execCommand('copy');
  field.remove();
  near.focus();
  return done ? undefined : Promise.reject(new Error('the browser refused'));
}

/** Makes `button` copy what `text()` gives; `subject` tells a screen reader of what. */
export function copyOnClick(button, text, subject) {
  button.setAttribute('aria-label', `Copy the info.json address of ${subject}`);
  button.onclick = async () => {
    let word = 'Copied';
    try {
      await copy(text(), button);
    } catch {
      word = 'Not copied';
    }
    button.textContent = word;
    document.getElementById('announcement').textContent = `${word}: ${text()}`;
    clearTimeout(button.timer);
    button.timer = setTimeout(() => (button.textContent = 'Copy'), 2000);
  };
}
