// BokehJS has every figure listen to the visual viewport and never stops it: closed rooms would stay in memory for ever.

const DONE = Symbol.for("embedding-lab.lightened");

/**
 * Have a figure's view end its listening when it is removed.
 *
 * @param {object} views - the prototype of the views of figures
 */
export function lighten(views) {
  if (views[DONE] || !window.visualViewport) return;
  const { connect_signals: connect, remove } = views;
  const added = new WeakMap();
  const described = { configurable: true, writable: true, enumerable: false };
  Object.defineProperties(views, {
    [DONE]: { ...described, value: true },
    connect_signals: {
      ...described,
      value(...all) {
        const mine = [];
        added.set(this, mine);
        keepWhile(mine, () => connect.apply(this, all));
      },
    },
    remove: {
      ...described,
      value(...all) {
        for (const each of added.get(this) ?? []) visualViewport.removeEventListener(...each);
        return remove.apply(this, all);
      },
    },
  });
}

/** Note what is added to the visual viewport during a call. */
function keepWhile(mine, call) {
  const own = Object.getOwnPropertyDescriptor(visualViewport, "addEventListener");
  const add = visualViewport.addEventListener;
  visualViewport.addEventListener = (...each) => {
    mine.push(each);
    add.apply(visualViewport, each);
  };
  try {
    call();
  } finally {
    if (own) Object.defineProperty(visualViewport, "addEventListener", own);
    else delete visualViewport.addEventListener;
  }
}
