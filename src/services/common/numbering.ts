import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { encodeText } from '../../codec/text.js';
import { sha256Hex } from '../../crypto/hash.js';

const CHARS = 8;

/**
 * Among whom the number of a process means the same: containers may share a name and count for themselves, and machines that
 * are copies of each other share one too. What cannot be read does not exist where this is another system.
 */
export function processNumbering(): string {
  const told = [
    () => hostname(),
    () => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8'),
    () => readlinkSync('/proc/self/ns/pid'),
  ].map((read) => {
    try {
      return read();
    } catch {
      return '';
    }
  });
  return sha256Hex(encodeText(told.join('\n'))).slice(0, CHARS);
}
