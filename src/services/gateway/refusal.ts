import type { RpcError } from '../../client/connection.js';

/** What a node's refusal of a registration means, by the words that every node of the family uses. */
export type RegistrationRefusal =
  /** The node has this very transaction already. */
  | 'known'
  | 'taken'
  /** It has become dearer since the node named the fee. */
  | 'dearer'
  /** The account cannot pay: the operator has to see to it. */
  | 'fee'
  | 'refused';

const WORDS: readonly (readonly [RegExp, RegistrationRefusal])[] = [
  [/duplicated? tr(?:x|ansaction)|already in (?:pending|block)/i, 'known'],
  [/current_account_itr == acnt_indx/, 'taken'],
  [/insufficient fee/i, 'dearer'],
  [/less than required|Fee pool balance|Insufficient Balance/i, 'fee'],
];

export function refusalOf({ message, error }: RpcError): RegistrationRefusal {
  // The steps that it took outwards may name more than the first line.
  const text = `${message} ${JSON.stringify(error)}`;
  return WORDS.find(([words]) => words.test(text))?.[1] ?? 'refused';
}
