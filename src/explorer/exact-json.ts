/** Whole numbers that a browser would round: the node takes them as text as well. */
const TOKENS = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/g;
const ROUNDED = /^-?\d{16,}$/;

/** JSON as somebody has written it, no digit lost: what is too long for a number becomes a text. */
export function readExactly(text: string): unknown {
  return JSON.parse(text.replace(TOKENS, (token) => (ROUNDED.test(token) ? `"${token}"` : token)));
}
