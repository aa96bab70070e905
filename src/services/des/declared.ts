import { ChainError, check } from '../../base/errors.js';
import { time } from '../../codec/scalars.js';
import { isJsonObject } from '../../codec/struct.js';
import type { Given } from '../../http/routes.js';
import { accountId, assetId } from '../../protocol/ids.js';
import {
  choice,
  type Described,
  type DescribedFields,
  integerOf,
  listOf,
  objectOf,
  optionalOf,
  SCHEMA_ERRORS,
  textAs,
  textOf,
} from '../common/schema.js';

/** What clients of the exchange send and get. Names are taken in both spellings that clients use. */

const DIGITS_MAX = 20;
const UNITS_MAX = 10n ** 18n;
const PARAMS_CHARS_MAX = 2_097_152;
export const LEGS_MAX = 64;

const accountText = textAs(
  { wanted: 'an account id such as 1.2.17', pattern: /^1\.2\.\d{1,12}$/, charsMax: 16, example: '1.2.17' },
  (text) => accountId.fromJson(text),
);
const assetText = textAs(
  { wanted: 'an asset id such as 1.3.1', pattern: /^1\.3\.\d{1,9}$/, charsMax: 13, example: '1.3.1' },
  (text) => assetId.fromJson(text),
);

export interface Nonce {
  readonly digits: string;
  readonly isText: boolean;
}

/** Up to 63 bits, as number or as text: its digits enter a key, so none may be lost. */
export const nonceValue: Described<Nonce> = {
  json: {
    type: ['integer', 'string'],
    description: 'A whole number of up to 63 bits, or its digits',
    pattern: '^\\d+$',
  },
  fromJson: (given) => {
    const isText = typeof given === 'string';
    const isWhole = typeof given === 'bigint' || (typeof given === 'number' && Number.isSafeInteger(given));
    const digits = isText || isWhole ? String(given) : '';
    const fits = /^(?:0|[1-9]\d*)$/.test(digits) && digits.length <= DIGITS_MAX;
    check(fits, SCHEMA_ERRORS.service_value, { wanted: 'a whole number of up to 63 bits, or its digits' });
    return { digits, isText };
  },
};

const unitsValue: Described<bigint> = {
  json: { type: 'integer', minimum: 0, description: 'Smallest units' },
  fromJson: (given) => {
    const isWhole = typeof given === 'bigint' || (typeof given === 'number' && Number.isSafeInteger(given));
    const units = isWhole ? BigInt(given) : -1n;
    check(units >= 0n && units <= UNITS_MAX, SCHEMA_ERRORS.service_value, {
      wanted: 'a whole number of smallest units',
    });
    return units;
  },
};

const SECONDS_MAX = 0xffff_ffff;

const expirationValue: Described<number> = {
  json: {
    type: ['integer', 'string'],
    description: 'When the authorization ends: seconds since 1970, or 2020-09-13T12:56:40 in UTC',
  },
  fromJson: (given) => {
    const wanted = 'seconds since 1970, or a time such as 2020-09-13T12:56:40';
    if (typeof given === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/.test(given)) {
      try {
        return time.fromJson(given);
      } catch (error) {
        throw error instanceof ChainError ? new ChainError(SCHEMA_ERRORS.service_value, { wanted }) : error;
      }
    }
    const fits = typeof given === 'number' && Number.isInteger(given) && given >= 0 && given <= SECONDS_MAX;
    check(fits, SCHEMA_ERRORS.service_value, { wanted });
    return given;
  },
};

/** An object of which some members go by a second name as well; the first one stands in the document. */
function withOtherNames<V>(of: Described<V>, names: Readonly<Record<string, string>>): Described<V> {
  return {
    json: of.json,
    fromJson: (given) => {
      if (!isJsonObject(given)) return of.fromJson(given);
      const read: { [name: string]: Given } = {};
      for (const [name, value] of Object.entries(given)) {
        const own = Object.hasOwn(names, name) ? (names[name] as string) : name;
        if (!Object.hasOwn(read, own)) Object.defineProperty(read, own, { value, enumerable: true });
      }
      return of.fromJson(read);
    },
  };
}

const objectWith = <F extends DescribedFields>(fields: F, names: Readonly<Record<string, string>>) =>
  withOtherNames(objectOf(fields), names);

const hexText = (charsMax: number, wanted: string): Described<string> =>
  textOf({ wanted, pattern: /^(?:[0-9a-fA-F]{2})+$/, charsMax });

const signatureText = textOf({ wanted: 'a signature as hex digits', pattern: /^[0-9a-fA-F]*$/, charsMax: 400 });

const requestParams = objectWith(
  {
    from: accountText,
    to: accountText,
    proxy_account: accountText,
    percent: integerOf(0, 10_000, 'Share of the exchange, of 10000'),
    amount: objectWith({ amount: unitsValue, asset_id: assetText }, { assetId: 'asset_id' }),
    memo: textOf({ wanted: 'the MD5 of what is encrypted in params', pattern: /^/, charsMax: 99 }),
    expiration: expirationValue,
    signatures: listOf(signatureText, LEGS_MAX),
  },
  { proxyAccount: 'proxy_account', percentage: 'percent' },
);

export const createBody = listOf(
  objectOf({
    params: hexText(PARAMS_CHARS_MAX, 'the encrypted parameters as hex digits'),
    nonce: nonceValue,
    requestParams,
  }),
  LEGS_MAX,
);
export type CreateElement = ReturnType<typeof createBody.fromJson>[number];

const PRODUCTS_MAX = 1000;
const ID_MAX = Number.MAX_SAFE_INTEGER;

const timestampValue: Described<string> = {
  json: { type: 'integer', description: 'Milliseconds since 1970; seconds are taken as well' },
  fromJson: (given) => {
    const fits = typeof given === 'number' && Number.isSafeInteger(given) && given >= 0;
    check(fits, SCHEMA_ERRORS.service_value, { wanted: 'milliseconds since 1970' });
    return String(given);
  },
};

export const heartbeatBody = objectOf({
  account: textOf({
    wanted: 'an account id such as 1.2.17',
    pattern: /^1\.2\.\d{1,12}$/,
    charsMax: 16,
    example: '1.2.17',
  }),
  products: listOf(integerOf(0, ID_MAX, 'Product that is sold'), PRODUCTS_MAX),
  timestamp: timestampValue,
  signature: signatureText,
  queryUrl: optionalOf(textOf({ wanted: 'a whole URL that is to be asked', pattern: /^/, charsMax: 2000 })),
});
export type Heartbeat = ReturnType<typeof heartbeatBody.fromJson>;

const idText = textAs({ wanted: 'a number', pattern: /^\d{1,15}$/, charsMax: 15, example: '1' }, Number);
export const productPath = objectOf({ product_id: idText });
export const productVersionPath = objectOf({ product_id: idText, version: idText });
export const requestPath = objectOf({
  request_id: textOf({ wanted: 'the id of a request', pattern: /^/, charsMax: 10_000 }),
});
export const accountQuery = objectOf({ accountId: accountText });

// What is answered: declared for the document.
const anyText = (wanted: string): Described<string> => textOf({ wanted, pattern: /^/, charsMax: 10_000_000 });
const accountOut = anyText('account id');
const keyOut = anyText('active public key');

export const errorAnswer = objectOf({
  code: choice(
    'INVALID_PARAMS',
    'ACCOUNT_NOT_EXIST',
    'FORBIDDEN',
    'BALANCE_NOT_ENOUGH',
    'SIGNATURE_VERIFY_FAIL',
    'TIME_OUT',
    'DATASOURCE_OFFLINE',
    'NOT_FOUND',
    'RATE_LIMITED',
    'UNKNOWN_ERROR',
  ),
  message: anyText('what is wrong, for people'),
});

export const heartbeatAnswer = objectOf({
  account: accountOut,
  products: listOf(integerOf(0, ID_MAX, 'Product for which the source is online now')),
  expireAt: integerOf(0, ID_MAX, 'Until when, in milliseconds, unless another heartbeat comes'),
  unreached: optionalOf(anyText('where the source is not reached, and not offered for as long as that is so')),
});

export const createAnswer = objectOf({ request_id: anyText('where the result will be') });

export const statusAnswer = objectOf({
  status: choice('IN_PROGRESS', 'FINISHED'),
  total: integerOf(0, LEGS_MAX, 'Sources that are asked'),
  datasources: listOf(
    objectOf({
      status: choice('SUCCESS', 'FAIL', 'NONE', 'TIMEOUT'),
      comment: anyText('why it failed, as a word'),
      datasource: accountOut,
      datasourcePublicKey: keyOut,
      nonce: nonceValue,
      data: optionalOf(anyText('the encrypted answer as hex')),
      txid: optionalOf(anyText('transaction that has paid for it')),
    }),
  ),
});

const price = objectOf({
  amount: integerOf(0, ID_MAX, 'Smallest units, for each source that delivers'),
  asset_id: anyText('asset id'),
  assetId: anyText('the same'),
});

export const productAnswer = objectOf({
  product: objectOf({
    productId: integerOf(0, ID_MAX, 'Its number'),
    productName: anyText('name'),
    briefDesc: anyText('what it is'),
    privacy: integerOf(0, 1, '1: needs the consent of a person'),
    categoryId: integerOf(0, ID_MAX, 'Category'),
    issuer: integerOf(0, ID_MAX, 'Merchant that has published it'),
    datasources: listOf(accountOut),
    price,
    input: objectOf({}),
    output: objectOf({}),
    version: integerOf(1, ID_MAX, 'One more with each change'),
  }),
  des: objectOf({ account_id: accountOut, accountId: accountOut, percent: integerOf(0, 10_000, 'Of 10000') }),
  onlineDatasources: listOf(objectOf({ account_id: accountOut, accountId: accountOut, publicKey: keyOut })),
});
