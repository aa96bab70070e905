import { integer, listOf, type OptionValues } from '../../config/define.js';
import { MAIL_OPTIONS, mailAddress } from '../mail/options.js';

/** Of services whose account pays fees: when their operator is told, and how. */
export const ALARM_OPTIONS = {
  'fee-reserve': {
    kind: integer(0, 1_000_000_000),
    initial: 1000,
    help: 'Warn when the account has less than the fees of so many payments',
  },
  ...MAIL_OPTIONS,
  'alarm-to': {
    kind: listOf(mailAddress),
    initial: [] as readonly string[],
    help: 'Who gets an e-mail when the account cannot pay the fees of the chain, or soon will not; may be repeated',
  },
};

export type AlarmOptions = OptionValues<typeof ALARM_OPTIONS>;
