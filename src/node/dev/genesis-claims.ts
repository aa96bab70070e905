import { encodeWith } from '../../codec/binary.js';
import { addressOfKey } from '../../crypto/address.js';
import { signatureDigest, tapos } from '../../crypto/digests.js';
import type { PrivateKey } from '../../crypto/private-key.js';
import { signatureBackend } from '../../crypto/signature.js';
import { makeAsset } from '../../protocol/asset.js';
import { type Instance, ORIGINAL_CORE_ASSET } from '../../protocol/ids.js';
import type { Operation, OperationBody } from '../../protocol/operation-slot.js';
import { type SignedTransaction, transaction } from '../../protocol/transaction.js';
import { balanceObject } from '../../state/objects/balance.js';
import { dynamicGlobalPropertyObject } from '../../state/objects/dynamic-global-property.js';
import type { ReadState } from '../../state/views.js';

const CLAIM_TAG = 37;
const LIFETIME_SEC = 600;

export interface BalanceOwner {
  readonly id: Instance;
  readonly key: PrivateKey;
}

/**
 * Genesis balances belong to addresses and must be claimed. A claim pays its fee of 0 in the original core asset, which
 * is impossible once fork 1008 is active; in block 1 the rules of the genesis time still hold.
 */
export function genesisClaims(s: ReadState, owners: readonly BalanceOwner[]): SignedTransaction[] {
  return owners.flatMap(({ id, key }) => {
    const balances = s.group(balanceObject.by.owner, addressOfKey(key.publicKey));
    const operations = balances.map((balance): Operation => {
      const claim = {
        fee: makeAsset(0n, ORIGINAL_CORE_ASSET),
        deposit_to_account: id,
        balance_to_claim: balance.id,
        balance_owner_key: key.publicKey,
        total_claimed: balance.balance,
      };
      return [CLAIM_TAG, claim as OperationBody];
    });
    return operations.length === 0 ? [] : [signedForHead(s, operations, [key])];
  });
}

/** Before the first block the head has a null id, and the reference of its transactions is never looked at. */
export function signedForHead(
  s: ReadState,
  operations: Operation[],
  keys: readonly PrivateKey[],
  lifetimeSec = LIFETIME_SEC,
): SignedTransaction {
  const { head_block_id } = s.single(dynamicGlobalPropertyObject);
  const body = {
    ...tapos(head_block_id),
    expiration: s.headTime + lifetimeSec,
    operations,
    extensions: [],
  };
  const digest = encodeWith(transaction, body, (bytes) => signatureDigest(s.chainId, bytes));
  return { ...body, signatures: keys.map((key) => signatureBackend().sign(digest, key)) };
}
