/** Key files as people meet them. */

const PASSWORD_CHARS_MIN = 10;
export const NO_CIPHERS = 'Key files need a page that came over HTTPS: browsers give no ciphers to others.';

export function checkPassword(password: string, again: string): void {
  if (password.length < PASSWORD_CHARS_MIN) throw new Error(`A password has at least ${PASSWORD_CHARS_MIN} characters`);
  if (password !== again) throw new Error('The two passwords differ');
}
