import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

/** A real browser for pages. */

const BROWSERS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const browserPath = process.env.CHROMIUM_PATH ?? BROWSERS.find((path) => existsSync(path));
const MISSING = 'there is no Chromium: install one (Debian: apt-get install chromium) or name it in CHROMIUM_PATH';

/** For `skip`. */
export const hasNoBrowser: string | false = browserPath === undefined ? MISSING : false;

/** Everything is waited for by what the page shows; this is for a browser that hangs. */
export const LAST_RESORT_MS = 120_000;
/** No word to anybody, and nothing that a machine without a screen lacks. */
const QUIET_FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export function openBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: browserPath as string, args: QUIET_FLAGS, timeout: LAST_RESORT_MS });
}
