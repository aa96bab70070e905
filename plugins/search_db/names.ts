import { timeToText } from '../../src/codec/time.js';

export const DEFAULT_PREFIX = 'gxchain';
export const BLOCK_NUMBER_MAX = 0xffff_ffff;

const PREFIX_CHARS_MAX = 100;

export const isIndexPrefix = (text: string): boolean =>
  text.length <= PREFIX_CHARS_MAX && /^[a-z0-9][a-z0-9_-]*$/.test(text);

/** Index of the month of a block's time. */
export function indexName(prefix: string, timeSec: number): string {
  return `${prefix}${timeToText(timeSec).slice(0, 'YYYY-MM'.length)}`;
}

/** What readers search. */
export const readersPattern = (prefix: string): string => `${prefix}*`;

/** Where the plugin keeps how far it is: no name that readers' pattern matches. */
export function stateIndexName(prefix: string): string {
  const name = `trustnode-state-of-${prefix}`;
  return name.startsWith(prefix) ? `state-of-trustnode-${prefix}` : name;
}

/** Entries of account histories. */
export const entryId = (instance: number): string => `2.9.${instance}`;
