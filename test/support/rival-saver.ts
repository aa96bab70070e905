import { readFileSync } from 'node:fs';
import { saveFile } from '../../src/wallet/file/save.js';
import { checkUnchanged } from '../../src/wallet/file/wallet-file.js';

/** Reads the file, and replaces it when told to; it takes its time between its last look at it and the new one. */
const [file = '', text = ''] = process.argv.slice(2);
const PAUSE_MS = 500;
const read = readFileSync(file, 'utf8');
let looks = 0;
const check = (): void => {
  checkUnchanged(file, read);
  // The first look is before anything is written.
  if (++looks > 1) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
};
process.stdout.write('ready\n');
process.stdin.once('data', () => {
  try {
    saveFile(file, text, check);
    process.stdout.write('saved\n');
  } catch (error) {
    process.stdout.write(`${(error as { key?: string }).key ?? error}\n`);
  }
  process.exit();
});
