import { setTimeout as pause } from 'node:timers/promises';

/** For what a machine of any speed must have done: whoever meets it waits for something that does not come. */
const LAST_RESORT_MS = 540_000;
const LOOK_MS = 5;

/** Looks until it finds something, for what nobody announces. What is announced is awaited instead. */
export async function eventually<T>(
  what: string,
  find: () => T | Promise<T>,
  lookMs: number = LOOK_MS,
): Promise<Exclude<T, undefined | null | false>> {
  const endMs = performance.now() + LAST_RESORT_MS;
  for (;;) {
    const found = await find();
    if (found !== undefined && found !== null && found !== false) return found as Exclude<T, undefined | null | false>;
    if (performance.now() > endMs) throw new Error(`${what}: not in ${LAST_RESORT_MS / 1000} s`);
    await pause(lookMs);
  }
}
