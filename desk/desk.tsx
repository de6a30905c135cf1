// The desk: the application starts here.
import { type JSX, render } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { loadCaller } from './api/caller';
import { loadConfiguration } from './api/configuration';
import { isSignedIn, resumeSignIn, signOut } from './api/sign-in';
import { CallsPage } from './pages/calls-page';
import { ChangesPage } from './pages/changes-page';
import { CollectionPage } from './pages/collection-page';
import { FailuresPage } from './pages/failures-page';
import { HomePage } from './pages/home-page';
import { NewCollectionPage } from './pages/new-collection-page';
import { ObjectPage } from './pages/object-page';
import { TextsPage } from './pages/texts-page';
import { UploadsPage } from './pages/uploads-page';
import { startChecks } from './records/checks';
import { drafts, loadDrafts } from './records/drafts';
import { type PageName, type Route, followRoutes, pageAddress, route } from './route';
import { isSending, loadUploads, uploads } from './uploads/queue';
import { loadRejections } from './uploads/rejections';
import { explain, words as w } from './words';

const PAGES: Record<PageName, (route: Route) => JSX.Element> = {
  home: () => <HomePage />,
  new: () => <NewCollectionPage />,
  collections: ({ name }) => <CollectionPage key={name} name={name} />,
  objects: ({ name }) => <ObjectPage key={name} name={name} />,
  uploads: () => <UploadsPage />,
  changes: () => <ChangesPage />,
  failures: () => <FailuresPage />,
  texts: ({ name }) => <TextsPage key={name} name={name} />,
  calls: () => <CallsPage />
};

function Desk(): JSX.Element {
  const main = useRef<HTMLElement>(null);
  const isFirst = useRef(true);
  const { page, name } = route.value;
  useEffect(() => {
    document.title = `${name || w.pages[page]} · ${w.desk}`;
    if (!isFirst.current && !route.value.target) {
      main.current?.focus({ preventScroll: true });
      scrollTo(0, 0);
    }
    isFirst.current = false;
  }, [page, name]);
  return (
    <>
      <a
        class="skip"
        href="#main"
        onClick={(event) => {
          event.preventDefault(); // the hash names the page
          main.current?.focus();
        }}
      >
        {w.skip}
      </a>
      <Masthead />
      <main id="main" ref={main} tabIndex={-1}>
        {PAGES[page](route.value)}
      </main>
      <footer class="colophon">
        <a href={pageAddress('calls')}>{w.calls.title}</a>
        {isSignedIn.value && (
          <button type="button" class="link" onClick={() => void signOut()}>
            {w.signOut}
          </button>
        )}
      </footer>
    </>
  );
}

function Masthead(): JSX.Element {
  const { page } = route.value;
  const links: [PageName, string][] = [
    ['home', w.pages.home],
    ['uploads', w.counted(w.pages.uploads, uploads.value.filter((one) => !one.isOver.value).length)],
    ['changes', w.counted(w.pages.changes, drafts.value.size)],
    ['failures', w.pages.failures]
  ];
  return (
    <header class="masthead">
      <p class="site-name">
        <a href={pageAddress('home')}>{w.desk}</a>
      </p>
      <nav aria-label={w.navigation}>
        <ul>
          {links.map(([target, text]) => (
            <li key={target}>
              <a href={pageAddress(target)} aria-current={page === target ? 'page' : undefined}>
                {text}
              </a>
            </li>
          ))}
          <li>
            <a href="/">{w.site}</a>
          </li>
        </ul>
      </nav>
    </header>
  );
}

async function start(): Promise<void> {
  const place = document.getElementById('desk');
  if (!place) {
    return;
  }
  try {
    await loadConfiguration();
    followRoutes();
    await resumeSignIn();
    await loadDrafts();
    startChecks();
    addEventListener('beforeunload', (event) => isSending.value && event.preventDefault());
    render(<Desk />, place);
    await Promise.all([loadCaller(), loadUploads(), loadRejections()]);
  } catch (error) {
    render(
      <main class="notice">
        <h1>{w.desk}</h1>
        <p role="alert">{explain(error)}</p>
        <p>
          <a href="/desk/">{w.startAgain}</a>
        </p>
      </main>,
      place
    );
  }
}

void start();
