import { readFileSync } from 'node:fs';
import type { ArgumentsCamelCase } from 'yargs';
import { defineErrors, FAMILY, fail } from '../../base/errors.js';
import { type Json, parseJson } from '../../codec/json.js';
import type { Network } from '../../codec/type.js';
import { PrivateKey } from '../../crypto/private-key.js';
import type { Terminal } from '../terminal.js';

export const KEYS_ERRORS = defineErrors({
  input_file: { kind: 'environment', ...FAMILY.invalidArgument, text: 'cannot read ${file}: ${reason}' },
  no_words: { ...FAMILY.invalidArgument, text: 'there are no words to derive a key from' },
});

/** yargs hands a lone dash over as an empty text. */
const isStandardInput = (given: string): boolean => given === '-' || given === '';

/** A file's bytes; `-` is the standard input, which keeps secrets out of the list of processes. */
export function readBytes(terminal: Terminal, file: string): Uint8Array {
  try {
    return Uint8Array.from(isStandardInput(file) ? terminal.input() : readFileSync(file));
  } catch (error) {
    fail(KEYS_ERRORS.input_file, { file, reason: error instanceof Error ? error.message : String(error) });
  }
}

/** A file's text. */
export function readInput(terminal: Terminal, file: string): string {
  return Buffer.from(readBytes(terminal, file)).toString('utf8');
}

/** A private key as given, or the first line of the standard input for `-`. */
export function readPrivateKey(terminal: Terminal, given: string): PrivateKey {
  return PrivateKey.fromWif(isStandardInput(given) ? (readInput(terminal, '-').split('\n')[0] ?? '').trim() : given);
}

export function readJson(terminal: Terminal, file: string): Json {
  return parseJson(readInput(terminal, file));
}

export function textOf(args: ArgumentsCamelCase, name: string): string {
  return String(args[name] ?? '');
}

/** Prints one record: lines of `name: value` for people, one line of JSON for scripts. */
export function print(terminal: Terminal, args: ArgumentsCamelCase, record: Readonly<Record<string, unknown>>): void {
  if (args.json === true) {
    terminal.out(`${JSON.stringify(record)}\n`);
    return;
  }
  const width = Math.max(...Object.keys(record).map((name) => name.length));
  for (const [name, value] of Object.entries(record)) {
    const text = typeof value === 'object' ? JSON.stringify(value, null, 2) : String(value);
    terminal.out(`${`${name}:`.padEnd(width + 2)}${text}\n`);
  }
}

/** The prefix that was asked for decides how keys are read and written. */
export function networkOf(args: ArgumentsCamelCase): Network {
  return { keyPrefix: textOf(args, 'prefix') };
}
