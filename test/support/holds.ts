import type { Test } from 'tap';

/**
 * The object has these fields, each with exactly this value; others are not looked at. Unlike `t.match`, for which an
 * empty list stands for any list and a text for all that hold it.
 */
export function holds(
  t: Test,
  found: object | undefined,
  expected: object,
  what = 'the fields are as they should be',
): void {
  const fields = Object.keys(expected).map((field) => [field, (found as Record<string, unknown> | undefined)?.[field]]);
  t.same(Object.fromEntries(fields), expected, what);
}
