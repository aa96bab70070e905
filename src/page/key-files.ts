import { h } from './dom.js';

/** Key files as people meet them: passwords, and downloads. */

const PASSWORD_CHARS_MIN = 10;
export const NO_CIPHERS = 'Key files need a page that came over HTTPS: browsers give no ciphers to others.';

/** Hands the file over to whoever sits in front of the page. */
export function download(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
  h('a', { href: url, download: name }).click();
  URL.revokeObjectURL(url);
}

export function checkPassword(password: string, again: string): void {
  if (password.length < PASSWORD_CHARS_MIN) throw new Error(`A password has at least ${PASSWORD_CHARS_MIN} characters`);
  if (password !== again) throw new Error('The two passwords differ');
}
