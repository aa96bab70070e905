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
