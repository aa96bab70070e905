import { askSecret } from '../wallet/prompt/line-reader.js';
import type { Terminal } from './terminal.js';

/** One answer after another: typed and not shown at a terminal, else a line of the standard input each. */
export function secretsFrom(terminal: Terminal): (question: string) => Promise<string> {
  if (process.stdin.isTTY === true) {
    return (text) => askSecret({ input: process.stdin, output: process.stderr }, text);
  }
  const lines = Buffer.from(terminal.input()).toString('utf8').split(/\r?\n/);
  return async () => lines.shift() ?? '';
}
