import { fromHex } from '../base/bytes.js';
import { ChainError } from '../base/errors.js';
import { parseJson } from '../codec/json.js';
import { defineOptions, flag, integer, listOf, type OptionKind, pathOption } from '../config/define.js';
import { PrivateKey } from '../crypto/private-key.js';
import { DEFAULT_KEY_PREFIX, publicKeyToText } from '../crypto/public-key.js';
import type { Instance } from '../protocol/ids.js';
import { witnessText } from './decide.js';

/** Undefined instead of a refusal: the option's own message says what was wanted. */
function attempt<V>(work: () => V | undefined): V | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof ChainError) return undefined;
    throw error;
  }
}

const unquoted = (text: string): string => /^"(.*)"$/.exec(text)?.[1] ?? text;

export const witnessIdOption: OptionKind<Instance> = {
  wanted: 'a witness id such as "1.6.5", with or without quotes',
  parse: (text) => {
    const digits = /^1\.6\.(0|[1-9]\d{0,9})$/.exec(unquoted(text))?.[1];
    return digits === undefined ? undefined : Number(digits);
  },
  format: (value) => JSON.stringify(witnessText(value)),
};

/** Old configurations hold the 32 bytes themselves instead of the usual text. */
function readPrivateKey(text: string): PrivateKey {
  return /^[0-9a-fA-F]{64}$/.test(text) ? PrivateKey.fromBytes(fromHex(text)) : PrivateKey.fromWif(text);
}

export const signingKeyOption: OptionKind<PrivateKey> = {
  wanted: 'a pair ["<public key>", "<private key>"] whose keys belong together, or a private key alone',
  isSecret: true,
  parse: (text) =>
    attempt(() => {
      if (!text.startsWith('[')) return readPrivateKey(unquoted(text));
      const pair = parseJson(text);
      if (!Array.isArray(pair) || pair.length !== 2) return undefined;
      const [publicText, privateText] = pair;
      if (typeof publicText !== 'string' || typeof privateText !== 'string') return undefined;
      const key = readPrivateKey(privateText);
      // Without its prefix: which one the network uses is not known while options are read.
      return publicText.endsWith(publicKeyToText(key.publicKey, '')) ? key : undefined;
    }),
  format: (key) => JSON.stringify([publicKeyToText(key.publicKey, DEFAULT_KEY_PREFIX), key.toWif()]),
};

/** A name is a file's there, and leads nowhere else. */
const credentialOption: OptionKind<string> = {
  wanted: 'the name of a credential',
  // Somebody may take the key itself for it.
  isSecret: true,
  parse: (text) => (/^(?!\.+$)[^/\0\s]{1,255}$/.test(text) ? text : undefined),
  format: (value) => value,
};

const PERCENT_UNIT = 100;
const percentNumber = integer(0, 99, 'percent');

/** In parts of 10,000. The family reads a flag that means 1 percent; a number says what operators mean. */
export const participationOption: OptionKind<number> = {
  wanted: 'a whole number of percent from 0 to 99; true stands for 1, false for 0',
  bare: 'true',
  parse: (text) => {
    const percent =
      percentNumber.parse(text) ?? (flag.parse(text) === undefined ? undefined : Number(flag.parse(text)));
    return percent === undefined ? undefined : percent * PERCENT_UNIT;
  },
  format: (value) => String(value / PERCENT_UNIT),
};

/** Everybody knows this key; test networks of the family sign with it when nothing else is said. */
export const PUBLIC_TEST_KEY = PrivateKey.fromSeed('nathan');

export const witnessOptions = defineOptions({
  'witness-id': {
    kind: listOf(witnessIdOption),
    initial: [],
    help: 'Witness whose blocks this node makes. Without any, no blocks are made.',
    short: 'w',
  },
  'private-key': {
    kind: listOf(signingKeyOption),
    initial: [PUBLIC_TEST_KEY],
    help:
      'Signing key of a witness. Which one is used follows from the key that the chain holds for the witness. ' +
      'The default is the test key that everybody knows: never use it for a witness of a public network.',
  },
  'private-key-file': {
    kind: listOf({ ...pathOption, isSecret: true }),
    initial: [],
    help:
      'File with signing keys, one in each line as private-key takes them; # begins a comment. Neither config.ini nor ' +
      'the list of processes shows them then. In place of private-key, or beside it.',
  },
  'private-key-credential': {
    kind: listOf(credentialOption),
    initial: [],
    help:
      'Name of a credential that systemd hands to this node (LoadCredential= or LoadCredentialEncrypted= in its unit), with ' +
      'signing keys as in a private-key-file.',
  },
  'enable-stale-production': {
    kind: flag,
    initial: false,
    help: 'Make blocks although the last known block is old: for the first start of a new chain, or to wake one up.',
  },
  'begin-chain': {
    kind: flag,
    initial: false,
    help:
      'Make block 1 of a new chain when this node signs for all witnesses that are active in its genesis file, and no peer ' +
      'has told of a block for ten seconds. On one node of a network alone; means nothing once there is a block.',
  },
  'required-participation': {
    kind: participationOption,
    initial: 0,
    help: 'Share of the last 128 slots that must have been filled before this node makes blocks.',
  },
  'max-transaction-time': {
    kind: integer(1, 4_294_967_295, 'microseconds'),
    initial: 10_000,
    help: 'Contract time that one transaction may take on this node; the limit of the chain holds as well.',
  },
});
