import { setFlagsFromString } from 'node:v8';
import { runInThisContext } from 'node:vm';

/** An array stays one of small numbers as long as nothing else comes into it. */
const LOOKS = '(n) => { const a = []; a.push(n); return %HasSmiElements(a); }';

/** Whether the engine keeps this very number as a small one, or as an object. Asked by code that has seen nothing else yet. */
export function isSmallToEngine(value: number): boolean {
  setFlagsFromString('--allow-natives-syntax');
  return (runInThisContext(LOOKS) as (n: number) => boolean)(value);
}
