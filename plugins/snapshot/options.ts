import { defineOptions, integer, maybe, type OptionKind, pathOption } from '../../src/config/define.js';

const BLOCK_MAX = 4_294_967_295;

/** Seconds since 1970 of a time as the family writes it: without a zone, UTC. */
export const timeOption: OptionKind<number> = {
  wanted: 'a time such as 2020-12-28T02:00:00',
  parse: (text) => {
    if (!/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}$/.test(text)) return undefined;
    const seconds = Date.parse(`${text}Z`) / 1000;
    return Number.isNaN(seconds) ? undefined : seconds;
  },
  format: (seconds) => new Date(seconds * 1000).toISOString().slice(0, 19),
};

/** Which objects; undefined members stand for all. */
export interface Selection {
  readonly space: number | undefined;
  readonly type: number | undefined;
  readonly instance: number | undefined;
}

const WORDS = 3;
const isAll = (word: string): boolean => word === '*' || word === '/*';

export const selectionOption: OptionKind<Selection> = {
  wanted: 'space, type and instance of objects, such as 1 2 *, where * stands for all; in quotes on the command line',
  parse: (text) => {
    const words = text.trim().split(/[\s,]+/);
    if (words.length !== WORDS || !words.every((word) => isAll(word) || /^\d{1,15}$/.test(word))) return undefined;
    const [space, type, instance] = words.map((word) => (isAll(word) ? undefined : Number(word)));
    // What comes behind a star is everything, as in the reference.
    if (space === undefined) return { space, type: undefined, instance: undefined };
    return { space, type, instance: type === undefined ? undefined : instance };
  },
  format: ({ space, type, instance }) => [space, type, instance].map((one) => one ?? '*').join(' '),
};

export const snapshotDumpOptions = defineOptions({
  'snapshot-to': {
    kind: maybe(pathOption),
    initial: undefined,
    help: 'File that the plugin snapshot writes objects to, one JSON object per line.',
  },
  'snapshot-at-block': {
    kind: maybe(integer(1, BLOCK_MAX, 'block number')),
    initial: undefined,
    help: 'Write them as they are behind this block.',
  },
  'snapshot-at-time': {
    kind: maybe(timeOption),
    initial: undefined,
    help: 'Write them as they are behind the first block of this time or a later one.',
  },
  'snapshot-objects': {
    kind: selectionOption,
    initial: { space: undefined, type: undefined, instance: undefined },
    help: 'Which objects are written.',
  },
});
