// Frames of the lab keep their height right: the page inside tells it, the page around sets it.

const TYPE = "embedding-lab:height";
const HIGHEST = 20000;

/** Tell the page around, if there is one, how high this page is, now and whenever that changes. */
function tell() {
  if (window.parent === window) return;
  const root = document.documentElement;
  let last = 0;
  const observer = new ResizeObserver(() => {
    const height = Math.ceil(root.getBoundingClientRect().height);
    if (height === last) return;
    last = height;
    // a height is no secret, and the page around may be anybody's
    window.parent.postMessage({ type: TYPE, height }, "*");
  });
  observer.observe(root);
}

/** Set the height of `iframe[data-embedding-lab]`; a message counts only from that frame and its origin. */
function hear() {
  window.addEventListener("message", (event) => {
    const { type, height } = event.data ?? {};
    if (type !== TYPE || !Number.isFinite(height) || height <= 0) return;
    for (const frame of document.querySelectorAll("iframe[data-embedding-lab]")) {
      if (frame.contentWindow !== event.source) continue;
      if (new URL(frame.src, document.baseURI).origin !== event.origin) continue;
      frame.style.height = `${Math.min(height, HIGHEST)}px`;
    }
  });
}

tell();
hear();
