import { integer, listOf, type OptionKind, type OptionValues, textOption } from '../../config/define.js';
import { ALARM_OPTIONS } from '../alarm/options.js';
import { ACCOUNT_OPTIONS, assetKind, serviceOptions } from '../common/options.js';
import { CONTENT_OPTIONS } from '../content/opening.js';

export interface Fee {
  readonly asset: number;
  /** Smallest units for each kilobyte of 1024 bytes. */
  readonly units: bigint;
}

const feeKind: OptionKind<Fee> = {
  wanted: 'an asset and its smallest units for a kilobyte, such as 1.3.1=20',
  parse: (text) => {
    const match = /^([^=]+)=(\d{1,15})$/.exec(text);
    const asset = match === null ? undefined : assetKind.parse((match[1] as string).trim());
    return match === null || asset === undefined ? undefined : { asset, units: BigInt(match[2] as string) };
  },
  format: ({ asset, units }) => `${assetKind.format(asset)}=${units}`,
};

const MEBIBYTE = 1_048_576;

export const STORAGE_OPTIONS = {
  ...serviceOptions({ folder: 'trustnode-storage', at: { host: '127.0.0.1', port: 7000 } }),
  ...ACCOUNT_OPTIONS,
  'fee-reserve': ALARM_OPTIONS['fee-reserve'],
  fee: {
    kind: listOf(feeKind),
    initial: [{ asset: 1, units: 20n }] as readonly Fee[],
    help: 'What a kilobyte costs; once for each asset that is taken',
  },
  'provider-name': { kind: textOption, initial: 'trustnode storage', help: 'Name that clients are shown' },
  'provider-description': {
    kind: textOption,
    initial: 'Paid storage by content id',
    help: 'Description that clients are shown',
  },
  'data-bytes-max': {
    kind: integer(1, 1024 * MEBIBYTE, 'bytes'),
    initial: 10 * MEBIBYTE,
    help: 'The largest file that is stored',
  },
  ...CONTENT_OPTIONS,
  'uploads-max': { kind: integer(1, 10_000), initial: 64, help: 'Files that are taken in at the same time' },
  'uploads-per-address-max': {
    kind: integer(1, 10_000),
    initial: 8,
    help: 'The same of one address. This machine itself has no such limit',
  },
  'stores-per-second': {
    kind: integer(0, 1_000_000),
    initial: 5,
    help: 'Files of one account on average, five times as many at once; 0 for no limit',
  },
  'bytes-per-minute': {
    kind: integer(0, 1_000_000 * MEBIBYTE, 'bytes'),
    initial: 50 * MEBIBYTE,
    help: 'Bytes of one account; 0 for no limit',
  },
};

export type StorageOptions = OptionValues<typeof STORAGE_OPTIONS>;
