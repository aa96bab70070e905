import type { ErrorRow } from '../../base/errors.js';

/** Whether an error is one of a room's own. */
export const isOneOf = (row: ErrorRow, rows: Readonly<Record<string, ErrorRow>>): boolean =>
  Object.values(rows).includes(row);
