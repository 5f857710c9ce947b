// A served page and its server: when no answer comes, the page says so, and holds the room still until one does.
// BokehJS draws what arrives and says nothing of what does not, so the websocket itself is watched.

const PATIENCE = 5000; // milliseconds without an answer to what was sent
const OPENING = 10000; // milliseconds until the first answer: a class may open its pages all at once
const LEAVING = 2000; // milliseconds: a page that is being left loses its connection first
const WORDS = {
  refused:
    "This page cannot connect to its server. Perhaps a proxy between them does not pass on websockets, or the server does not expect readers at this address.",
  lost: "The connection to the server is lost. What you see is its last answer; the address keeps your settings.",
  silent: "The server has not answered for some seconds. The figure is older than its controls until it does.",
  opening: "The server has not answered yet. It may be busy: the room opens when its turn comes.",
  missing: "The room cannot be drawn: a script of this page did not arrive.",
  still: "The server does not answer yet. Try again in a moment.",
  reload: "Reload",
};

const room = document.getElementById("room");
let sockets = 0;
let ended = false; // there is no way back but a new page
let leftAt = -Infinity;
let line = null; // the notice on the page
let focused = null; // where the keyboard was

/** Say what is wrong, dim the room, and let nothing in it be moved: labels would change and figures not. */
function hold(words) {
  line ??= makeLine();
  line.firstChild.textContent = words;
  if (line.isConnected) return;
  focused = activeElement();
  room.inert = true;
  room.classList.add("lab-held");
  room.before(line);
  // while an answer may still come the next key is not for the button
  if (focused && ended) line.querySelector("button").focus({ preventScroll: true });
}

function release() {
  if (!line?.isConnected) return;
  line.remove();
  room.inert = false;
  room.classList.remove("lab-held");
  focused?.focus({ preventScroll: true });
}

function makeLine() {
  const made = document.createElement("div");
  const button = Object.assign(document.createElement("button"), { type: "button", textContent: WORDS.reload });
  made.className = "lab-failure lab-connection";
  made.setAttribute("role", "alert");
  made.append(document.createElement("p"), button);
  button.addEventListener("click", () => void reload(button));
  return made;
}

/** The element of the room that has the keyboard, within whatever shadow roots. */
function activeElement() {
  let at = room.contains(document.activeElement) ? document.activeElement : null;
  while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
  return at;
}

/** A new page in the state of the address; not before somebody is there who can make one. */
async function reload(button) {
  button.disabled = true;
  try {
    const answer = await fetch(import.meta.url, { cache: "no-store", signal: AbortSignal.timeout(PATIENCE) });
    if (!answer.ok) throw new Error(String(answer.status));
    location.reload();
  } catch {
    line.firstChild.textContent = WORDS.still;
    button.disabled = false;
    button.focus({ preventScroll: true });
  }
}

/** The header of a message; Bokeh sends header, metadata and content apart. */
function header(data) {
  if (typeof data !== "string" || !data.startsWith('{"msgid"')) return {};
  try {
    return JSON.parse(data);
  } catch {
    return {};
  }
}

function follow(socket) {
  sockets += 1;
  let opened = false;
  const unanswered = new Set(); // the server answers each message by its id, and may say other things before
  const wait = () => setTimeout(() => hold(opened ? WORDS.silent : WORDS.opening), opened ? PATIENCE : OPENING);
  let timer = wait();
  const send = socket.send.bind(socket);
  socket.send = (data) => {
    send(data);
    const { msgid } = header(data);
    if (msgid) unanswered.add(msgid);
    timer ??= wait();
  };
  socket.addEventListener("open", () => (opened = true));
  socket.addEventListener("message", ({ data }) => {
    unanswered.delete(header(data).reqid);
    clearTimeout(timer);
    timer = unanswered.size ? wait() : null;
    release();
  });
  socket.addEventListener("close", () => {
    clearTimeout(timer);
    ended = true;
    const leaving = performance.now() - leftAt < LEAVING;
    setTimeout(() => hold(opened ? WORDS.lost : WORDS.refused), leaving ? LEAVING : 0);
  });
}

class FollowedSocket extends WebSocket {
  constructor(address, protocols) {
    super(address, protocols);
    if (protocols?.[0] === "bokeh") follow(this);
  }
}

// the start page has nothing to hold
if (document.documentElement.dataset.room) {
  window.WebSocket = FollowedSocket;
  addEventListener("load", () => sockets || hold(WORDS.missing));
  addEventListener("beforeunload", () => (leftAt = performance.now()));
  // a page that the browser has kept comes back without its connection
  addEventListener("pageshow", (event) => event.persisted && ended && location.reload());
}
