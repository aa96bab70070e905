import { defineOptions, flag, integer, listOf, type OptionKind } from '../../src/config/define.js';
import { formatObjectId, type Instance } from '../../src/protocol/ids.js';

const unquoted = (text: string): string => /^"(.*)"$/.exec(text)?.[1] ?? text;

const accountOption: OptionKind<Instance> = {
  wanted: 'an account id such as "1.2.426", with or without quotes',
  parse: (text) => {
    const digits = /^1\.2\.(0|[1-9]\d{0,13})$/.exec(unquoted(text))?.[1];
    return digits === undefined ? undefined : Number(digits);
  },
  format: (account) => JSON.stringify(formatObjectId(1, 2, account)),
};

export const historyOptions = defineOptions({
  'max-ops-per-account': {
    kind: integer(0, 4_294_967_295, 'operations'),
    initial: 0,
    help:
      'The newest operations of each account that are kept on the disk for the history API. 0 keeps none. Another value ' +
      'than last time has the history built anew beside the running node.',
  },
  'track-account': {
    kind: listOf(accountOption),
    initial: [],
    help: 'Keep the history of these accounts only; without any, that of all.',
  },
  'partial-operations': {
    kind: flag,
    initial: true,
    help:
      'Keep an operation only as long as it is in the history of an account. With false all operations are kept, and ' +
      'get_objects finds each of them.',
  },
});
