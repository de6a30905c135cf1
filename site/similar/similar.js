// More like this: brings the objects that share most with the one on the page when somebody scrolls
// to them.

const DISTANCE = '800px 0px'; // below the screen, at which the search begins

const section = document.querySelector('[data-similar]');
const observer = new IntersectionObserver(
  (entries) => {
    if (!entries.some((entry) => entry.isIntersecting)) return;
    observer.disconnect();
    import('/similar/found.js').then(({ show }) => show(section));
  },
  { rootMargin: DISTANCE },
);
observer.observe(section);
