import { VM_LIMITS } from '../limits.js';

const UTF8 = new TextDecoder('utf-8', { ignoreBOM: true });

/** Text that a contract shows to people; what is not UTF-8 becomes a replacement character. */
export function decodeText(bytes: Uint8Array): string {
  return UTF8.decode(bytes.subarray(0, VM_LIMITS.console_bytes_max));
}
