import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import t from 'tap';
import { writeNamed } from '../../../src/commands/chain/line-file.js';
import type { Terminal } from '../../../src/commands/terminal.js';

/** Files of lines that are longer than what a stream takes at once. */

const LINE = 'x'.repeat(100_000);
const LINES = 50;

function* lines(): Generator<string> {
  for (let n = 0; n < LINES; n++) yield LINE;
}

function terminalOf(said: string[]): Terminal {
  const err = (text: string): void => void said.push(text);
  return { out: err, err, columns: undefined, isTTY: false, exitCode: 0 } as unknown as Terminal;
}

for (const name of ['lines.jsonl', 'lines.jsonl.gz']) {
  t.test(`a long ${name}`, async (t) => {
    const warnings: Error[] = [];
    const listener = (warning: Error): void => void warnings.push(warning);
    process.on('warning', listener);
    t.teardown(() => process.off('warning', listener));
    const file = join(t.testdir(), name);
    const said: string[] = [];
    await writeNamed(file, lines(), terminalOf(said), (count) => `${count} lines`);
    t.same(said, [`${LINES} lines written to ${file}\n`]);
    const bytes = readFileSync(file);
    t.equal((name.endsWith('.gz') ? gunzipSync(bytes) : bytes).length, LINES * (LINE.length + 1));
    await new Promise(setImmediate);
    t.same(warnings, [], 'nothing is listened for that has passed');
  });
}
