import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { check, defineErrors, FAMILY } from '../../base/errors.js';
import type { PrivateKey } from '../../crypto/private-key.js';
import type { Files } from '../../storage/files.js';
import { signingKeyOption } from '../../witness/options.js';
import { absolute, type NodeOptions, type Settings } from './options.js';

export const KEY_FILE_ERRORS = defineErrors({
  key_file_line: {
    ...FAMILY.invalidArgument,
    // Never what stands there.
    text: '${file} line ${line}: there is no signing key in it; wanted is ${wanted}',
  },
  key_file_missing: {
    ...FAMILY.invalidArgument,
    text: 'option private-key-file: a file that it names is not in ${folder}',
  },
  key_file_empty: { ...FAMILY.invalidArgument, text: '${file} has no signing key in it' },
  no_credentials: {
    ...FAMILY.invalidArgument,
    text: 'option private-key-credential: nobody has handed a credential that it names to this node',
    hint: 'under systemd, LoadCredential=NAME:/path/to/file in the unit does, and CREDENTIALS_DIRECTORY is set; elsewhere use private-key-file',
  },
});

/** The folder in which systemd puts what it hands to a service. */
const CREDENTIALS = 'CREDENTIALS_DIRECTORY';

/** Keys of all files that the options name, in their order. */
export function keysOfFiles(
  options: Pick<NodeOptions, 'private-key-file' | 'private-key-credential'>,
  files: Files,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): PrivateKey[] {
  const credentials = options['private-key-credential'].map((name) => {
    const folder = environment[CREDENTIALS] ?? '';
    const path = join(folder, name);
    check(folder !== '' && files.exists(path), KEY_FILE_ERRORS.no_credentials);
    return path;
  });
  return [...options['private-key-file'].map((path) => absolute(path)), ...credentials].flatMap((path) =>
    keysOf(path, files),
  );
}

function keysOf(file: string, files: Files): PrivateKey[] {
  const text = files.readText(file);
  // Not its name: somebody may have given the key itself.
  check(text !== undefined, KEY_FILE_ERRORS.key_file_missing, { folder: dirname(file) });
  const { wanted } = signingKeyOption;
  const keys = text.split(/\r?\n/).flatMap((raw, index) => {
    const line = raw.trim();
    if (line === '' || line.startsWith('#')) return [];
    const key = signingKeyOption.parse(line);
    check(key !== undefined, KEY_FILE_ERRORS.key_file_line, { file, line: index + 1, wanted });
    return [key];
  });
  check(keys.length > 0, KEY_FILE_ERRORS.key_file_empty, { file });
  return keys;
}

const READABLE_BY_OTHERS = 0o077;

/** Files of this node with keys, passwords or their hashes that more than its own user may read. */
export function looseKeyFiles({ configPath, options }: Settings): string[] {
  // Windows has no such bits.
  if (process.platform === 'win32') return [];
  const given = [options['server-pem'], options['api-access'], ...options['private-key-file']];
  return [configPath, ...given.filter((path) => path !== '').map((path) => absolute(path))].filter(
    // Whether it is there at all is the business of whoever reads it.
    (path) => (modeOf(path) & READABLE_BY_OTHERS) !== 0,
  );
}

function modeOf(path: string): number {
  try {
    return statSync(path).mode;
  } catch {
    return 0;
  }
}
