import type { NodeClient } from '../../client/client.js';
import type { PublicKey } from '../../crypto/public-key.js';
import type { SignedTransaction } from '../../protocol/transaction.js';

type Asked = Pick<NodeClient, 'database'>;

/** Of the keys at hand the fewest that, with those that have signed, satisfy what the transaction needs. */
export async function fewestSigners(
  { database }: Asked,
  tx: SignedTransaction,
  has: (key: PublicKey) => boolean,
): Promise<PublicKey[]> {
  // Signatures that are there can end the node's search for keys before its end.
  const potential = await database.get_potential_signatures({ trx: { ...tx, signatures: [] } });
  return database.get_required_signatures({ trx: tx, available_keys: potential.filter(has) });
}
