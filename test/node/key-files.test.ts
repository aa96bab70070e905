import { chmodSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { OPTION_ERRORS } from '../../src/config/define.js';
import { PrivateKey } from '../../src/crypto/private-key.js';
import { loadSettings } from '../../src/node/load-settings.js';
import { KEY_FILE_ERRORS, keysOfFiles, looseKeyFiles } from '../../src/node/settings/key-files.js';
import type { Settings } from '../../src/node/settings/options.js';
import { nodeFiles } from '../../src/storage/files.js';
import { signingKeyOption } from '../../src/witness/options.js';
import { type Line, lineOf } from '../support/dev-node.js';
import { refused } from '../support/refused.js';

/** Signing keys that stand neither in config.ini nor on the command line. */

const WINDOWS = process.platform === 'win32' && 'files have no such modes there';
const load = (folder: string, line: Line = {}) => loadSettings(lineOf({ 'data-dir': join(folder, 'data'), ...line }));

t.test(
  'signing keys come from files, which others on this machine had better not read',
  { skip: WINDOWS },
  async (t) => {
    const [one, two, three] = ['one', 'two', 'three'].map((seed) => PrivateKey.fromSeed(seed)) as [
      PrivateKey,
      PrivateKey,
      PrivateKey,
    ];
    const pair = signingKeyOption.format(two);
    const folder = t.testdir({
      data: { keys: `# of two witnesses\n\n${one.toWif()}\r\n  ${pair}\n` },
      credentials: { signing: `${three.toWif()}\n` },
      empty: '# none\n',
      odd: `${one.toWif()}\n${one.toWif()}x\n`,
    });
    const keysOf = ({ options }: Settings): string[] => options['private-key'].map((key) => key.toWif());
    const path = join(folder, 'data', 'keys');
    const ini = join(folder, 'data', 'config.ini');
    writeFileSync(ini, 'private-key-file = keys\n');
    chmodSync(ini, 0o600);
    chmodSync(path, 0o600);
    t.same(keysOf(load(folder)), [one.toWif(), two.toWif()], 'the default key that everybody knows is not among them');
    t.same(
      keysOf(load(folder, { 'private-key': three.toWif() })),
      [three, one, two].map((key) => key.toWif()),
    );
    t.same(keysOf(load(folder, { dev: 'true' })), [one.toWif(), two.toWif()]);
    t.same(looseKeyFiles(load(folder)), []);
    chmodSync(path, 0o644);
    t.same(looseKeyFiles(load(folder)), [path]);
    refused(t, KEY_FILE_ERRORS.key_file_missing, () => load(folder, { 'private-key-file': join(folder, 'none') }));
    t.throws(() => load(folder, { 'private-key-file': join(folder, 'none') }), {
      message: new RegExp(`is not in ${folder}`),
    });
    refused(t, KEY_FILE_ERRORS.key_file_empty, () => load(folder, { 'private-key-file': join(folder, 'empty') }));
    refused(t, KEY_FILE_ERRORS.key_file_line, () => load(folder, { 'private-key-file': join(folder, 'odd') }));
    t.throws(() => load(folder, { 'private-key-file': join(folder, 'odd') }), {
      message: /odd line 2: there is no signing key in it/,
    });

    const options = { 'private-key-file': [], 'private-key-credential': ['signing'] };
    const credentials = { CREDENTIALS_DIRECTORY: join(folder, 'credentials') };
    t.same(
      keysOfFiles(options, nodeFiles, credentials).map((key) => key.toWif()),
      [three.toWif()],
    );
    for (const environment of [{}, { CREDENTIALS_DIRECTORY: folder }]) {
      refused(t, KEY_FILE_ERRORS.no_credentials, () => keysOfFiles(options, nodeFiles, environment));
    }
    for (const name of ['..', 'a/b', '/etc/passwd']) {
      refused(t, OPTION_ERRORS.option_value, () => load(folder, { 'private-key-credential': name }));
    }
  },
);

t.test('a start whose key file is not there leaves no folder behind', async (t) => {
  const folder = t.testdir();
  refused(t, KEY_FILE_ERRORS.key_file_missing, () => load(folder, { 'private-key-file': join(folder, 'none') }));
  t.same(readdirSync(folder), []);
});
