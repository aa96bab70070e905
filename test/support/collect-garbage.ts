import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** All of what nothing leads to, at once, in this process; another one: measured-process.ts. */
export function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}
