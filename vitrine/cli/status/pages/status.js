const unanswered = document.getElementById('unanswered');
let next = 0;
function later() {
  clearTimeout(next);
  next = setTimeout(again, 1000 * document.querySelector('main').dataset.seconds);
}
async function again() {
  if (document.hidden) return;
  clearTimeout(next);
  try {
    const answer = await fetch('/', { cache: 'no-store', signal: AbortSignal.timeout(120000) });
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
    document.querySelector('main').replaceWith(page.querySelector('main'));
    document.title = page.title;
    unanswered.hidden = true;
  } catch {
    unanswered.hidden = false;
  }
  later();
}
later();
document.addEventListener('visibilitychange', again);
