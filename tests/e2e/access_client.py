"""A minimal viewer of IIIF Authorization Flow 2.0, as its specification has it (section 7)."""

CLIENT_PAGE = """<!doctype html><html lang="en"><title>A viewer</title>
<meta charset="utf-8">
<link rel="icon" href="data:,">
<button id="open" hidden>Sign in</button>
<p id="note"></p>
<img id="image" alt="What the viewer shows">
<iframe id="frame" hidden title="Token"></iframe>
<script>
const messages = [];
window.log = messages;
let opened = null;

async function probe(service, token) {
  const headers = token ? { Authorization: 'Bearer ' + token } : {};
  const answer = await fetch(service.id, { headers });
  if (answer.status !== 200) throw new Error('a probe answers ' + answer.status);
  const result = await answer.json();
  messages.push({ step: 'probe', status: result.status, result });
  return result;
}

function token(service) {
  const id = String(Math.random());
  const { origin } = window.location;
  return new Promise((resolve) => {
    window.addEventListener('message', function receive(event) {
      if (event.origin !== new URL(service.id).origin || event.data.messageId !== id) return;
      window.removeEventListener('message', receive);
      messages.push({ step: 'token', data: event.data });
      resolve(event.data);
    });
    const query = new URLSearchParams({ messageId: id, origin });
    document.getElementById('frame').src = service.id + '?' + query;
  });
}

function ask(service) {
  const button = document.getElementById('open');
  document.getElementById('note').textContent =
    [service.heading, service.note].map((text) => (text ? text.en[0] : '')).join(' ');
  button.textContent = (service.confirmLabel || service.label).en[0];
  button.hidden = false;
  return new Promise((resolve) => {
    button.onclick = () => {
      const query = new URLSearchParams({ origin: window.location.origin });
      opened = window.open(service.id + '?' + query);
      const timer = setInterval(() => {
        if (!opened.closed) return;
        clearInterval(timer);
        resolve();
      }, 50);
    };
  });
}

// Resolves to what may be shown: the address of an image service, or of a substitute.
window.show = async (service, image) => {
  let result = await probe(service);
  const [access] = service.service;
  if (result.status >= 400) {
    if (access.profile === 'active') await ask(access);
    const answer = await token(access.service.find((one) => one.type.includes('Token')));
    if (answer.accessToken) result = await probe(service, answer.accessToken);
  }
  const where = result.status < 300 ? image : (result.location || {}).id;
  if (where) document.getElementById('image').src = where + '/full/!400,400/0/default.jpg';
  document.getElementById('note').textContent = 'status ' + result.status;
  return { status: result.status, where: where || '', result };
};
</script>
"""
