// What the site says while Python is not there yet, or could not come.

const megabytes = (bytes) => (bytes / 1e6).toFixed(1);

export const WORDS = {
  waiting: "Python is waking up",
  download: (loaded, total) => `Python is waking up: ${megabytes(loaded)} of ${megabytes(total)} MB`,
  start: "Python is waking up: starting the lab",
  opening: "Python is drawing this state",
  noPicture: "There is no picture of this state yet: Python has to compute it first.",
  asleepWithout: "There is no picture of this state yet. Make the figure live, and it is computed.",
  noSpec: (detail) => `The specification is no JSON object: ${detail}`,
  wake: "Make it live",
  failed: "This figure could not be made live",
  retry: "Retry",
  silent: (seconds) => `Python has not answered for ${seconds} s. It may still be computing.`,
  restart: "Start Python again",
  outdated: "The lab has been updated since this page was opened",
  outdatedWhy: "What this page would need next is no longer there. The address keeps the state that you see.",
  reload: "Reload",
  noRoom: (room, rooms) => `There is no room called "${room}". The rooms are: ${rooms.join(", ")}.`,
  unread: (names, room, settings) => `${names.join(", ")}: no settings of the room ${room}, which has ${settings.join(", ")}`,
  otherBokeh: (theirs, ours) => `This page has BokehJS ${theirs} already, the lab needs ${ours}`,
  noWorker: "The browser refuses to run Python here: the page around forbids workers",
  unreachablePage: (detail) => `That page could not be fetched (${detail}). You are still where you were.`,
  status: (status) => `the server says ${status}`,
  webPage: "a web page came in its place, as from a network that wants you to sign in",
  part: {
    unreachable: (address, detail) => `${address} could not be fetched (${detail})`,
    refused: (address, status) => `${address} could not be fetched: the server says ${status}`,
    damaged: (address, detail) => `${address} arrived damaged, twice${detail && ` (${detail})`}`,
  },
};
