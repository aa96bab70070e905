import type { Json, JsonObject } from '../../../src/codec/json.js';
import type { RecordedCall } from '../../support/wallet-vectors.js';

/** Where answers of ours are not the recorded ones, and why. */

export interface Rule {
  readonly reason: string;
  applies(command: string, params: readonly Json[]): boolean;
  /** Takes out what differs by design; what is left must be equal. Without it, nothing is compared. */
  readonly normalize?: (result: Json) => Json;
  /** At the prompt the answer is text: so many lines of it are compared. */
  readonly lines?: number;
  /** Before them so many are not compared. */
  readonly skippedLines?: number;
}

const names = (...list: string[]) => {
  const set = new Set(list);
  return (command: string): boolean => set.has(command);
};

/** A copy in which `change` has had its way with every object. */
function mapObjects(json: Json, change: (object: JsonObject) => JsonObject): Json {
  if (Array.isArray(json)) return json.map((item) => mapObjects(item, change));
  if (json === null || typeof json !== 'object') return json;
  const out: JsonObject = {};
  for (const [name, value] of Object.entries(change(json))) out[name] = mapObjects(value, change);
  return out;
}

const withoutSignatures = (json: Json): Json =>
  mapObjects(json, (object) =>
    'signatures' in object ? { ...object, signatures: (object.signatures as Json[]).length } : object,
  );

/** Nonces are random, and with them the cipher text, and what is signed. */
const withoutMemo = (json: Json): Json => {
  const plain = mapObjects(withoutSignatures(json), (object) =>
    'nonce' in object ? { ...object, nonce: '', message: String(object.message).length } : object,
  );
  return Array.isArray(plain) && typeof plain[0] === 'string' ? plain.slice(1) : plain;
};

const withoutInnerFees = (json: Json): Json =>
  mapObjects(withoutSignatures(json), (object) => {
    const { op } = object;
    if (!Array.isArray(op)) return object;
    const [tag, body] = op as [Json, JsonObject];
    const { data_market_type: _, ...rest } = body;
    return { ...object, op: [tag as Json, { ...rest, fee: (body.fee as JsonObject).amount as Json }] };
  });

/** One-time keys are random: what they lead to has the same form, and the amounts are the same. */
const withoutBlinding = (json: Json): Json =>
  mapObjects(withoutSignatures(json), (object) => {
    const out: JsonObject = {};
    for (const [name, value] of Object.entries(object)) {
      const isRandom = /^(?:blinding_factor|commitment|encrypted_memo|one_time_key|check|key_auths)$/.test(name);
      out[name] = isRandom
        ? typeof value
        : name === 'confirmation_receipt'
          ? Math.abs(String(value).length - 201) < 2
          : value;
    }
    return out;
  });

/** The number of an operation in the process that recorded it; ours counts within the block. */
function withoutCounter(json: Json): Json {
  return mapObjects(json, (object) => ('virtual_op' in object ? { ...object, virtual_op: 0 } : object));
}

export const RULES: readonly Rule[] = [
  { reason: 'random one-time keys', applies: names('transfer_to_blind'), normalize: withoutBlinding },
  {
    reason: 'pages without repeats, a counter of the recording process',
    applies: (command, params) =>
      (command === 'get_account_history' && Number(params[1]) > 100) ||
      (command === 'get_relative_account_history' && Number(params[2]) > 100),
    normalize: (result) => (withoutCounter(result) as Json[]).slice(0, 100),
    lines: 100,
  },
  {
    reason: 'the next question begins with what can still be undone, a counter of the recording process',
    applies: (command, params) => command === 'get_irreversible_account_history' && JSON.stringify(params[1]) === '[6]',
    normalize: (result) => withoutCounter({ ...(result as JsonObject), next_start_sequence: 0 }),
    skippedLines: 1,
    lines: Number.POSITIVE_INFINITY,
  },
  {
    reason: 'a counter of the recording process',
    applies: names(
      'get_account_history',
      'get_relative_account_history',
      'get_account_history_by_operations',
      'get_irreversible_account_history',
    ),
    normalize: withoutCounter,
    lines: Number.POSITIVE_INFINITY,
  },
  { reason: 'ours', applies: names('about', 'help', 'gethelp') },
  {
    reason: 'random nonce',
    applies: (command, params) =>
      command === 'sign_memo' ||
      (/^transfer[23]?$/.test(command) && params[4] !== '' && params[4] !== null) ||
      (command === 'issue_asset' && params[3] !== ''),
    normalize: withoutMemo,
  },
  {
    reason: 'fees of proposed operations are in 1.3.1',
    applies: (command) =>
      /^(?:upgrade_account_|upgrade_data|propose_(?:deprecate|gpo|data_market|free|league))/.test(command),
    normalize: withoutInnerFees,
  },
  { reason: 'random words', applies: names('suggest_brain_key') },
];

/** What the prompt printed, without the two echoes of the line and without log lines. */
export function promptAnswer(call: RecordedCall): string {
  const text = (call.text ?? '').replace(/\r?\u001b\[\d*m[^\u001b]*\u001b\[0m\r?\n/g, '');
  const line = call.line ?? '';
  return text.slice(2 * (line.length + 1));
}
