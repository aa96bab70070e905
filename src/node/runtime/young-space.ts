import { setFlagsFromString } from 'node:v8';

/**
 * The engine doubles the room of young objects whenever many of them last, up to `--max-semi-space-size`, and rarely
 * takes it back. Modules last: loading the program alone would leave an idle node with 30 MB that nobody uses.
 */
export function holdYoungSpace(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
}

/** As the engine has it by itself. */
export function releaseYoungSpace(): void {
  setFlagsFromString('--semi-space-growth-factor=2');
}

/**
 * Where most of what one line has made became old, the engine makes the rest of it old at once, which is worth it while a
 * state is loaded. In a running node it is what the next block has room for that becomes old. What waits behind that comes
 * from the same lines and is garbage a moment later, and an old object that is garbage keeps whatever young ones it leads
 * to, until all old ones are looked at: 2 kB of each transaction that waited.
 */
export function letObjectsDieYoung(): void {
  setFlagsFromString('--no-allocation-site-pretenuring');
}
