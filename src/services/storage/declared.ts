import { accountId, assetId } from '../../protocol/ids.js';
import { choice, integerOf, listOf, objectOf, optionalOf, textAs, textOf } from '../common/schema.js';

/** What clients of paid storage send and get. */

const accountText = textAs(
  { wanted: 'an account id such as 1.2.17', pattern: /^1\.2\.\d{1,12}$/, charsMax: 16, example: '1.2.17' },
  (text) => accountId.fromJson(text),
);
const assetText = textAs(
  { wanted: 'an asset id such as 1.3.1', pattern: /^1\.3\.\d{1,9}$/, charsMax: 13, example: '1.3.1' },
  (text) => assetId.fromJson(text),
);

/** The parts of the form beside the data itself. */
export const storeFields = objectOf({
  from: accountText,
  to: accountText,
  proxy_account: accountText,
  percent: textAs(
    { wanted: 'a whole number from 0 to 10000', pattern: /^\d{1,5}$/, charsMax: 5, example: '0' },
    Number,
  ),
  // Whether it is a whole number is answered with a code of its own.
  amount: textOf({ wanted: 'a number of smallest units', pattern: /^[\d.eE+-]+$/, charsMax: 40, example: '20' }),
  asset_id: assetText,
  expiration: textAs(
    { wanted: 'seconds since 1970', pattern: /^\d{1,10}$/, charsMax: 10, example: '1600001800' },
    Number,
  ),
  memo: textOf({ wanted: 'the MD5 of the data, 32 lower-case hex digits', pattern: /^/, charsMax: 200 }),
  signatures: textOf({
    wanted: 'one signature of the payer, 130 hex digits, over the request without signatures',
    pattern: /^/,
    charsMax: 2000,
  }),
});
export type StoreFields = ReturnType<typeof storeFields.fromJson>;

const CODES = 'Number of the result: 200 is success';
const code = integerOf(0, 999, CODES);
const word = textOf({ wanted: 'name of the result', pattern: /^[\w ]+$/, charsMax: 40, example: 'ok' });
const cidText = textOf({
  wanted: 'content id, 46 characters',
  pattern: /^Qm[1-9A-HJ-NP-Za-km-z]{44}$/,
  charsMax: 46,
  example: 'QmSJhEQDiAR5FmJE1BgSUfDU6bjNRENbu3LJnFMR64ciyR',
});
const txid = textOf({ wanted: 'id of the transaction that pays', pattern: /^[0-9a-f]{40}$/, charsMax: 40 });

export const storeAnswer = objectOf({
  code,
  msg: word,
  data: optionalOf(objectOf({ txid, cid: cidText })),
  hint: optionalOf(textOf({ wanted: 'what is wrong, for people', pattern: /^/, charsMax: 2000 })),
});

export const providerAnswer = objectOf({
  code,
  msg: word,
  data: objectOf({
    account_id: textOf({ wanted: 'who is paid', pattern: /^1\.2\.\d+$/, charsMax: 16, example: '1.2.17' }),
    name: textOf({ wanted: 'name', pattern: /^/, charsMax: 200 }),
    description: textOf({ wanted: 'description', pattern: /^/, charsMax: 2000 }),
    fees: listOf(
      objectOf({
        fee_per_kbytes: integerOf(0, Number.MAX_SAFE_INTEGER, 'Smallest units for each 1024 bytes'),
        asset_id: textOf({ wanted: 'asset id', pattern: /^1\.3\.\d+$/, charsMax: 13, example: '1.3.1' }),
      }),
    ),
  }),
});

const anyCid = textOf({ wanted: 'a content id of any form', pattern: /^/, charsMax: 10_000 });

export const cidPath = objectOf({ cid: anyCid });

export const gatewayQuery = objectOf({
  format: optionalOf(choice('raw', 'car')),
  'dag-scope': optionalOf(choice('block', 'entity', 'all')),
});
