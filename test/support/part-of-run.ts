/**
 * Long runs can be done in parts: `TRUSTNODE_HOSTILE_PART=2/6` is every sixth from the second on,
 * `TRUSTNODE_HOSTILE_ONLY=transfer,get_block` what has one of these names. Without either it is all.
 */
export function ofThisRun<T>(all: readonly T[], nameOf: (one: T) => string): T[] {
  const { TRUSTNODE_HOSTILE_ONLY: only, TRUSTNODE_HOSTILE_PART: part } = process.env;
  const names = only?.split(',');
  const [which, parts] = partOf(part ?? '1/1');
  return all.filter((one, i) => i % parts === which - 1 && names?.includes(nameOf(one)) !== false);
}

export function partOf(text: string): readonly [which: number, parts: number] {
  const [which, parts] = (/^(\d+)\/(\d+)$/.exec(text) ?? []).slice(1).map(Number);
  if (which === undefined || parts === undefined || which < 1 || which > parts) {
    throw new Error(`${text} is no part such as 2/6`);
  }
  return [which, parts];
}
