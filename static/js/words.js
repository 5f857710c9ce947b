// What the site says while Python is not there yet, or could not come.

const megabytes = (bytes) => (bytes / 1e6).toFixed(1);

export const WORDS = {
  waiting: "Python is waking up",
  download: (loaded, total) => `Python is waking up: ${megabytes(loaded)} of ${megabytes(total)} MB`,
  start: "Python is waking up: starting the lab",
  opening: "Python is drawing this state",
  otherState: ". Until then the picture shows the default state.",
  asleep: "This is a picture.",
  wake: "Make it live",
  failed: "This figure could not be made live",
  retry: "Retry",
};
