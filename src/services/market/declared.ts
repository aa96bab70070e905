import { check } from '../../base/errors.js';
import { isJsonObject } from '../../codec/struct.js';
import type { Given } from '../../http/routes.js';
import { accountId } from '../../protocol/ids.js';
import {
  booleanOf,
  choice,
  type Described,
  integerOf,
  listOf,
  objectOf,
  optionalOf,
  SCHEMA_ERRORS,
  textAs,
  textOf,
} from '../common/schema.js';
import { isServiceUrl } from '../exchange/service-url.js';
import { MAIL_ADDRESS } from '../mail/options.js';
import { jsonText } from './json-text.js';

/** What clients of the market send. */

const ID_MAX = Number.MAX_SAFE_INTEGER;
const DESCRIPTORS_MAX = 200;
const DESCRIPTORS_CHARS_MAX = 65_536;
const MEMBERS_MAX = 200;
const PAGE_MAX = 1_000_000;
const LIMIT_MAX = 100;
const LIMIT = 20;

const PLAIN = /^[^\u0000-\u001f\u007f\u2028\u2029]*$/;
const LINES = /^[^\u0000-\u0009\u000b-\u001f\u007f]*$/;

const id = (wanted: string): Described<number> => integerOf(1, ID_MAX, wanted);
const idText = (wanted: string): Described<number> =>
  textAs({ wanted, pattern: /^[1-9]\d{0,14}$/, charsMax: 15, example: '1' }, Number);
/** One line of a text. */
const line = (wanted: string, charsMax: number): Described<string> => textOf({ wanted, pattern: PLAIN, charsMax });
const name = (wanted: string, charsMax: number): Described<string> =>
  textOf({ wanted, pattern: /^[^\s\p{Cc}](?:[^\p{Cc}\u2028\u2029]*[^\s\p{Cc}])?$/u, charsMax });

const accountText = textAs(
  { wanted: 'an account id such as 1.2.17', pattern: /^1\.2\.\d{1,12}$/, charsMax: 16, example: '1.2.17' },
  (text) => accountId.fromJson(text),
);

const serviceUrlOf = (mayBePrivate: boolean): Described<string> => {
  const wanted = `an absolute http or https URL${mayBePrivate ? '' : ' of a public address'}, without password and fragment`;
  const text = textOf({ wanted, pattern: /^https?:\/\//i, charsMax: 300, example: 'https://data.example/source' });
  return {
    json: text.json,
    fromJson: (given) => {
      const url = text.fromJson(given);
      check(isServiceUrl(url, mayBePrivate), SCHEMA_ERRORS.service_value, { wanted });
      return url;
    },
  };
};

export const bindBody = (mayBePrivate: boolean) =>
  objectOf({
    accountId: accountText,
    merchantId: id('Number of the merchant'),
    serviceUrl: serviceUrlOf(mayBePrivate),
    timestamp: integerOf(0, ID_MAX, 'Milliseconds since 1970'),
    signature: textOf({
      wanted: 'a signature of accountId|merchantId|serviceUrl|timestamp, 130 hex digits',
      pattern: /^[0-9a-fA-F]{130}$/,
      charsMax: 130,
    }),
  });

/** Any number from 0 to 1 but 0 itself, as parts of 10000. */
const threshold: Described<number> = {
  json: { type: 'number', exclusiveMinimum: 0, maximum: 1, description: 'Share of the members who must agree' },
  fromJson: (given) => {
    const parts = typeof given === 'number' ? Math.round(given * 10_000) : 0;
    const fits = typeof given === 'number' && given <= 1 && parts > 0;
    check(fits, SCHEMA_ERRORS.service_value, { wanted: 'a number above 0 and up to 1' });
    return parts;
  },
};

/** 0 and 1 are what some clients call no and yes. */
const yesOrNo = (description: string): Described<boolean> => {
  const plain = booleanOf(description);
  return { ...plain, fromJson: (given) => plain.fromJson(given === 0 ? false : given === 1 ? true : given) };
};

const units: Described<bigint> = {
  json: { type: 'integer', minimum: 0, maximum: 1e15, description: 'Smallest units' },
  fromJson: (given) => {
    const fits = typeof given === 'number' && Number.isInteger(given) && given >= 0 && given <= 1e15;
    check(fits, SCHEMA_ERRORS.service_value, { wanted: 'a whole number from 0 to 1000000000000000' });
    return BigInt(given);
  },
};

const price = (billing: string) =>
  objectOf({
    amount: units,
    assetId: textOf({
      wanted: `the asset of all prices, ${billing}`,
      pattern: new RegExp(`^${billing.replaceAll('.', '\\.')}$`),
      charsMax: 13,
      example: billing,
    }),
  });

const descriptorType = textOf({
  wanted: 'a type such as string',
  pattern: /^[a-z]{1,20}$/,
  charsMax: 20,
  example: 'string',
});
const description = textOf({ wanted: 'what it is', pattern: LINES, charsMax: 1000 });
const inputDescriptor = objectOf({
  type: descriptorType,
  desc: optionalOf(description),
  required: booleanOf('Whether buyers have to give it'),
});
const outputDescriptor = objectOf({ type: descriptorType, desc: optionalOf(description) });

/** Parameters by name. What stands in a descriptor besides is kept: nested definitions, samples. */
const descriptors = (one: Described<unknown>, about: string): Described<Given> => ({
  json: { type: 'object', additionalProperties: one.json, description: about, example: {} },
  fromJson: (given) => {
    check(isJsonObject(given), SCHEMA_ERRORS.service_value, { wanted: 'an object of descriptors by name' });
    const entries = Object.entries(given);
    const fits = entries.length <= DESCRIPTORS_MAX && entries.every(([key]) => /^[\w.-]{1,64}$/.test(key));
    const isShort = fits && jsonText(given).length <= DESCRIPTORS_CHARS_MAX;
    const wanted = `an object of at most ${DESCRIPTORS_MAX} short names`;
    check(isShort && !Object.hasOwn(given, '__proto__'), SCHEMA_ERRORS.service_value, { wanted });
    for (const [, value] of entries) one.fromJson(value);
    return given;
  },
});

const inputs = descriptors(inputDescriptor, 'Parameters that buyers give: type, desc, required, sample');
const outputs = descriptors(outputDescriptor, 'Values that buyers get: type, desc, sample');

const logo = textOf({ wanted: 'a picture in base64', pattern: /^/, charsMax: 1_000_000 });
const brief = textOf({ wanted: 'a short description', pattern: LINES, charsMax: 1000 });

export const productBody = (billing: string) =>
  objectOf({
    productName: name('a name of one line', 100),
    logoImgBase64: optionalOf(logo),
    brieDesc: optionalOf(brief),
    briefDesc: optionalOf(brief),
    voteThrehold: optionalOf(threshold),
    voteThreshold: optionalOf(threshold),
    categoryId: id('Category'),
    price: price(billing),
    privacy: optionalOf(yesOrNo('Whether the person whom the data is about has to agree')),
    input: inputs,
    output: outputs,
  });

export const changeBody = (billing: string) =>
  objectOf({
    productName: optionalOf(name('a name of one line', 100)),
    logoImgBase64: optionalOf(logo),
    briefDesc: optionalOf(brief),
    brieDesc: optionalOf(brief),
    categoryId: optionalOf(id('Category')),
    price: optionalOf(price(billing)),
    privacy: optionalOf(yesOrNo('Whether the person whom the data is about has to agree')),
    input: optionalOf(inputs),
    output: optionalOf(outputs),
  });

export const categoryBody = objectOf({ categoryName: name('a name of one line', 100) });
export const renameBody = objectOf({ categoryId: id('Category'), categoryName: name('a name of one line', 100) });
export const categoryIdBody = objectOf({ categoryId: id('Category') });
const reason = name('a reason of one line', 300);
export const banAccountBody = objectOf({ accountId: accountText, reason });
export const banProductBody = objectOf({ productId: id('Product'), reason });
export const allowAccountBody = objectOf({ accountId: accountText });
export const allowProductBody = objectOf({ productId: id('Product') });
export const settleBody = objectOf({
  signature: textOf({
    wanted: 'the signature of a payment, 130 hex digits',
    pattern: /^[0-9a-f]{130}$/,
    charsMax: 130,
  }),
  note: line('what was done about it', 300),
});
export const mailBody = objectOf({ id: id('E-mail') });
/** May be left out by those who apply for themselves. */
export const membersBody = objectOf({ members: optionalOf(listOf(id('Merchant'), MEMBERS_MAX)) });
export const voteBody = objectOf({ agree: integerOf(0, 1, '1 for yes, 0 for no'), voteId: id('Vote') });
export const saleBody = objectOf({ onSale: booleanOf('Whether it may be bought') });
export const nothingBody = objectOf({});
export const readBody = objectOf({ ids: listOf(id('Notification'), LIMIT_MAX) });
export const profileBody = objectOf({
  merchantId: id('Merchant'),
  authorizerName: optionalOf(line('a name', 100)),
  merchantName: optionalOf(line('a name', 100)),
  logoUrl: optionalOf(textOf({ wanted: 'a URL', pattern: /^(?:https?:\/\/[^\s"'<>\\]+)?$/, charsMax: 500 })),
  merchantAddress: optionalOf(line('an address', 300)),
  email: optionalOf(
    textOf({ wanted: 'an e-mail address', pattern: new RegExp(`^$|${MAIL_ADDRESS.source}`), charsMax: 320 }),
  ),
});

export const productPath = objectOf({ productId: idText('a product id') });
export const votePath = objectOf({ voteId: idText('a vote id') });
export const votesPath = objectOf({
  productId: textAs({ wanted: 'a product id or all', pattern: /^(?:all|[1-9]\d{0,14})$/, charsMax: 15 }, (text) =>
    text === 'all' ? undefined : Number(text),
  ),
  type: textAs(
    {
      wanted: '0 for running ones, 1 for passed, 2 for rejected, 3 for running ones with a ballot of the caller',
      pattern: /^[0-3]$/,
      charsMax: 1,
      example: '0',
    },
    Number,
  ),
});
export const listPath = objectOf({
  categoryId: textAs(
    { wanted: 'a category id, or 0 for all', pattern: /^\d{1,15}$/, charsMax: 15, example: '0' },
    Number,
  ),
  shareStatus: textAs(
    { wanted: '1: of one seller; 0: of several', pattern: /^[01]$/, charsMax: 1, example: '1' },
    Number,
  ),
});
export const logoPath = objectOf({
  file: textOf({ wanted: 'a file name', pattern: /^/, charsMax: 10_000 }),
});

const count = (wanted: string, max: number): Described<number | undefined> => {
  const text = textAs({ wanted, pattern: /^[1-9]\d{0,6}$/, charsMax: 7 }, Number);
  return optionalOf({
    json: text.json,
    fromJson: (given) => {
      const value = text.fromJson(given);
      check(value <= max, SCHEMA_ERRORS.service_value, { wanted });
      return value;
    },
  });
};

const pageOf = (wanted: string) => count(wanted, PAGE_MAX);
const limitOf = (wanted: string) => count(wanted, LIMIT_MAX);
const PAGE_WORDS = 'a page, from 1 on';
const LIMIT_WORDS = `a number of entries from 1 to ${LIMIT_MAX}`;
const day = textOf({ wanted: 'a day such as 2020-09-13', pattern: /^\d{4}-\d\d-\d\d$/, charsMax: 10 });

export const pagedQuery = objectOf({ page: pageOf(PAGE_WORDS), limit: limitOf(LIMIT_WORDS) });
/** What is found has all of it. */
export const searchQuery = objectOf({
  text: optionalOf(textOf({ wanted: 'a part of a name or description', pattern: PLAIN, charsMax: 100 })),
  categoryId: optionalOf(idText('a category id')),
  shareStatus: optionalOf(choice('0', '1')),
  priceMax: optionalOf(
    textAs({ wanted: 'a price in smallest units', pattern: /^\d{1,15}$/, charsMax: 15, example: '1000' }, BigInt),
  ),
  sort: optionalOf(choice('newest', 'cheapest', 'name')),
  page: pageOf(PAGE_WORDS),
  limit: limitOf(LIMIT_WORDS),
});
export const lossQuery = objectOf({
  page: pageOf(PAGE_WORDS),
  limit: limitOf(LIMIT_WORDS),
  settled: optionalOf(choice('0', '1')),
});
export const outboxQuery = objectOf({
  page: pageOf(PAGE_WORDS),
  limit: limitOf(LIMIT_WORDS),
  state: optionalOf(choice('waiting', 'sent', 'dead', 'dropped')),
});
export const notificationQuery = objectOf({
  page: pageOf(PAGE_WORDS),
  limit: limitOf(LIMIT_WORDS),
  unread: optionalOf(choice('0', '1', 'true', 'false')),
});
export const logQuery = objectOf({
  gmtCreatedFrom: optionalOf(day),
  gmtCreatedTo: optionalOf(day),
  productId: optionalOf(idText('a product id')),
  pageNo: pageOf(PAGE_WORDS),
  pageSize: limitOf(LIMIT_WORDS),
});
export const detailQuery = objectOf({
  gmtCreatedFrom: optionalOf(day),
  gmtCreatedTo: optionalOf(day),
  toAccount: optionalOf(accountText),
  requestId: optionalOf(textOf({ wanted: 'a request id', pattern: /^[\w-]{1,64}$/, charsMax: 64 })),
  txid: optionalOf(textOf({ wanted: 'a transaction id', pattern: /^[0-9a-fA-F]{1,64}$/, charsMax: 64 })),
});
export const monthQuery = objectOf({
  date: textOf({
    wanted: 'a month such as 2020-09',
    pattern: /^\d{4}-\d\d(?:-\d\d)?$/,
    charsMax: 10,
    example: '2020-09',
  }),
});
export const spanQuery = objectOf({ from: optionalOf(day), to: optionalOf(day) });

export const pageGiven = (page: number | undefined, limit: number | undefined) => ({
  page: page ?? 1,
  limit: limit ?? LIMIT,
});

export const signedHeaders = objectOf({
  'X-Market-Account': textOf({
    wanted: 'account id of the caller',
    pattern: /^1\.2\.\d+$/,
    charsMax: 16,
    example: '1.2.17',
  }),
  'X-Market-Timestamp': textOf({ wanted: 'milliseconds since 1970', pattern: /^\d+$/, charsMax: 15 }),
  'X-Market-Signature': textOf({
    wanted:
      'signature of market-v1|account|METHOD|path and query|SHA-256 of the body in hex|timestamp with an active key, 130 hex digits',
    pattern: /^[0-9a-f]{130}$/,
    charsMax: 130,
  }),
});
export const writeHeaders = objectOf({
  'X-Market-Account': textOf({
    wanted: 'account id of the caller',
    pattern: /^1\.2\.\d+$/,
    charsMax: 16,
    example: '1.2.17',
  }),
  'X-Market-Timestamp': textOf({ wanted: 'milliseconds since 1970', pattern: /^\d+$/, charsMax: 15 }),
  'X-Market-Signature': textOf({ wanted: 'as of other calls', pattern: /^[0-9a-f]{130}$/, charsMax: 130 }),
  'Idempotency-Key': optionalOf(
    textOf({
      wanted: 'a name of this call: under it, it is done once in a day',
      pattern: /^[\w-]{1,64}$/,
      charsMax: 64,
    }),
  ),
});

const anything = { type: ['object', 'array', 'null'] };
/** The envelope of all answers. */
export const envelopeJson = {
  type: 'object',
  properties: {
    code: { type: 'integer', description: '1 is success; refusals have numbers from 1001 on' },
    msg: { type: 'string' },
    data: anything,
    total: { type: ['integer', 'null'] },
    hint: { type: 'string', description: 'Of a refusal: what is wrong, for people' },
  },
  required: ['code', 'msg', 'data', 'total'],
};
