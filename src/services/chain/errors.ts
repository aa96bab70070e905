import { ChainError, defineErrors } from '../../base/errors.js';
import { isDatabaseError } from '../common/database.js';
import { toldOfDatabase } from '../common/database-errors.js';

export const CHAIN_ERRORS = defineErrors({
  chain_unreachable: { kind: 'environment', text: 'the node at ${url} does not answer: ${why}' },
  chain_refused: { kind: 'environment', text: 'the node refuses ${what}: ${why}' },
  chain_other: {
    kind: 'environment',
    text: 'the node at ${url} is on the chain ${actual}, and not on ${expected}',
  },
  chain_block_gone: { kind: 'environment', text: 'the node no longer has the irreversible block ${block}' },
  chain_no_account: { text: 'there is no account ${account}' },
  chain_no_single_key: { text: '${account} has not exactly one active key' },
  chain_other_key: { text: 'the key is not the active key of ${account}' },
});

/** For clients. Where the node is, and what else its URL may have in it, is the operator's alone: the log says it. */
export const toldOfChain = ({ row, message }: ChainError): string =>
  row === CHAIN_ERRORS.chain_unreachable ? 'the node of this service does not answer; try again later' : message;

/** For `/readyz`, which anybody may look at: texts of libraries name hosts, users and files, which the log has. */
export function toldOfTrouble(error: unknown): string {
  if (error instanceof ChainError) return toldOfChain(error);
  return isDatabaseError(error) ? toldOfDatabase(error) : 'something has failed: the log says what';
}
