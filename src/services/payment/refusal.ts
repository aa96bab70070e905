import type { RpcError } from '../../client/connection.js';

/** What a node's refusal of a payment means, by the words that every node of the family uses. */
export type PaymentRefusal =
  /** The payer has not so much. */
  | 'balance'
  /** The payer's keys are others by now. */
  | 'signature'
  /** The authorization has run out. */
  | 'expired'
  /** The node has this very transaction already. */
  | 'known'
  /** The chain has taken the authorization already, by whatever transaction. */
  | 'used'
  /** The account of the service cannot pay the fee: the operator has to see to it. */
  | 'fee'
  /** These bytes came too late, or were made for another branch: the authorization may be as good as before. */
  | 'stale'
  /** This node has no room for any transaction just now. */
  | 'busy'
  | 'refused';

const WORDS: readonly (readonly [RegExp, PaymentRefusal])[] = [
  [/duplicated? tr(?:x|ansaction)|already in (?:pending|block)/i, 'known'],
  [/already used once/, 'used'],
  [/unable to transfer/, 'balance'],
  [/less than required|Fee pool balance|insufficient fee/i, 'fee'],
  [/verify user signature error|multisig|no signatures/, 'signature'],
  [/request param expiration invalid/, 'expired'],
  [/now <= trx\.expiration|trx\.ref_block_prefix/, 'stale'],
  [/takes no more|try again later/, 'busy'],
];

export function refusalOf({ message, error }: RpcError): PaymentRefusal {
  // The steps that it took outwards may name more than the first line.
  const text = `${message} ${JSON.stringify(error)}`;
  return WORDS.find(([words]) => words.test(text))?.[1] ?? 'refused';
}
