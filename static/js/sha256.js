// SHA-256 (FIPS 180-4): the browser's own where it offers one, else written out. A page on plain http has no crypto.subtle.

// the first 32 bits of the fractional parts of roots of primes: cube roots for the rounds, square roots for the start
const PRIMES = (() => {
  const found = [];
  for (let number = 2; found.length < 64; number++) {
    if (found.every((prime) => number % prime)) found.push(number);
  }
  return found;
})();
const fraction = (root) => ((root - Math.floor(root)) * 2 ** 32) | 0;
const ROUNDS = Int32Array.from(PRIMES, (prime) => fraction(Math.cbrt(prime)));
const START = Int32Array.from(PRIMES.slice(0, 8), (prime) => fraction(Math.sqrt(prime)));
const BLOCK = 64;

/**
 * The digest as the attribute `integrity` has it, in the middle of a computation that cannot wait.
 *
 * @param {Uint8Array} bytes
 * @returns {string}
 */
export function digestNow(bytes) {
  const state = START.slice();
  const words = new Int32Array(64);
  const whole = bytes.length - (bytes.length % BLOCK);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  for (let at = 0; at < whole; at += BLOCK) take(state, words, view, at);
  const tail = padded(bytes.subarray(whole), bytes.length);
  for (let at = 0; at < tail.byteLength; at += BLOCK) take(state, words, tail, at);
  const digest = new DataView(new ArrayBuffer(32));
  state.forEach((word, at) => digest.setInt32(4 * at, word));
  return written(new Uint8Array(digest.buffer));
}

/**
 * The digest as the attribute `integrity` has it.
 *
 * @param {Uint8Array} bytes
 * @returns {Promise<string>}
 */
export async function digest(bytes) {
  if (!globalThis.crypto?.subtle) return digestNow(bytes);
  return written(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)));
}

const written = (digest) => `sha256-${btoa(String.fromCharCode(...digest))}`;

function padded(rest, length) {
  const view = new DataView(new ArrayBuffer(rest.length + 9 > BLOCK ? 2 * BLOCK : BLOCK));
  new Uint8Array(view.buffer).set(rest);
  view.setUint8(rest.length, 0x80);
  view.setUint32(view.byteLength - 8, Math.floor(length / 2 ** 29));
  view.setUint32(view.byteLength - 4, length << 3);
  return view;
}

function take(state, words, view, at) {
  for (let t = 0; t < 16; t++) words[t] = view.getInt32(at + 4 * t);
  for (let t = 16; t < 64; t++) {
    const early = words[t - 15];
    const late = words[t - 2];
    const s0 = ((early >>> 7) | (early << 25)) ^ ((early >>> 18) | (early << 14)) ^ (early >>> 3);
    const s1 = ((late >>> 17) | (late << 15)) ^ ((late >>> 19) | (late << 13)) ^ (late >>> 10);
    words[t] = (words[t - 16] + s0 + words[t - 7] + s1) | 0;
  }
  let a = state[0];
  let b = state[1];
  let c = state[2];
  let d = state[3];
  let e = state[4];
  let f = state[5];
  let g = state[6];
  let h = state[7];
  for (let t = 0; t < 64; t++) {
    const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
    const one = (h + s1 + ((e & f) ^ (~e & g)) + ROUNDS[t] + words[t]) | 0;
    const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
    const two = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + one) | 0;
    d = c;
    c = b;
    b = a;
    a = (one + two) | 0;
  }
  state[0] += a;
  state[1] += b;
  state[2] += c;
  state[3] += d;
  state[4] += e;
  state[5] += f;
  state[6] += g;
  state[7] += h;
}
