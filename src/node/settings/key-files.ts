import { statSync } from 'node:fs';
import type { Settings } from './options.js';
import { absolute } from './options.js';

const READABLE_BY_OTHERS = 0o077;

/** Files of this node with keys, passwords or their hashes that more than its own user may read. */
export function looseKeyFiles({ configPath, options }: Settings): string[] {
  // Windows has no such bits.
  if (process.platform === 'win32') return [];
  const given = [options['server-pem'], options['api-access']].filter((path) => path !== '');
  return [configPath, ...given.map((path) => absolute(path))].filter(
    // Whether it is there at all is the business of whoever reads it.
    (path) => ((statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & READABLE_BY_OTHERS) !== 0,
  );
}
