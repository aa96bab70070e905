import { STATUS_CODES } from 'node:http';

/** As the first line of an answer has it. */
export function statusText(status: number): string {
  return `${status} ${STATUS_CODES[status] ?? ''}`;
}
