import { invariant } from '../../base/errors.js';
import type { BlockDoor, PendingDoor, QueryDoor } from '../../chain/doors.js';
import type { BlockImporter } from '../../importer/importer.js';
import { SKIP } from '../../operations/define.js';
import { type Asset, makeAsset } from '../../protocol/asset.js';
import type { Instance } from '../../protocol/ids.js';
import type { Operation } from '../../protocol/operation-slot.js';
import type { SignedTransaction } from '../../protocol/transaction.js';
import type { ChainPort } from '../../rpc/ports.js';
import type { TransactionIntake } from './intake.js';

export interface ChainPortParts {
  readonly blocks: Pick<BlockDoor, 'subscribe'>;
  readonly importer: BlockImporter;
  readonly pending: PendingDoor;
  readonly queries: QueryDoor;
  readonly intake: TransactionIntake;
}

/** The chain as the RPC layer sees it: signatures are recovered in the pool before the core is bothered. */
export function chainPort(parts: ChainPortParts): ChainPort {
  const { blocks, importer, pending, queries, intake } = parts;
  return {
    chainId: queries.chainId,
    get state() {
      return queries.state;
    },
    blockIdOf: (number) => queries.blockIdOf(number),
    packedBlock(number) {
      const bytes = queries.blockBytes(number);
      const id = queries.blockIdOf(number);
      return bytes === undefined || id === undefined ? undefined : { id, bytes };
    },
    packedBlockById(id) {
      const bytes = queries.blockBytesById(id);
      return bytes === undefined ? undefined : { id, bytes };
    },
    push: (transaction) =>
      intake.verify(transaction, (verified) => ({ id: verified.id, transaction: pending.push(verified) })),
    signers: (transaction) =>
      intake.verify(transaction, ({ keys, keyError }) => {
        if (keyError !== undefined) throw keyError;
        return keys;
      }),
    dryRun: (transaction) => intake.verify(transaction, (verified) => pending.dryRun(verified)),
    async pushBlock(block) {
      await importer.import(block, { kind: 'rpc' });
    },
    contractFee: (operation, feeAsset) => contractFee(parts, operation, feeAsset),
    listen: (listener) => blocks.subscribe(listener),
  };
}

/** A fee question is about the price alone: nobody has signed yet. */
const PRICE_ONLY =
  SKIP.transactionSignatures |
  SKIP.authorityCheck |
  SKIP.taposCheck |
  SKIP.transactionDupeCheck |
  SKIP.assertEvaluation;
const FEE_QUESTION_LIFETIME_SEC = 30;
const CONTRACT_RECEIPTS: readonly number[] = [3, 4];

/** What a contract call costs is known after it has run; the run leaves no trace. */
function contractFee({ queries, pending }: ChainPortParts, [tag, body]: Operation, feeAsset: Instance): Asset {
  const transaction: SignedTransaction = {
    ref_block_num: 0,
    ref_block_prefix: 0,
    expiration: queries.state.headTime + FEE_QUESTION_LIFETIME_SEC,
    operations: [[tag, { ...body, fee: makeAsset(0n, feeAsset) }]],
    extensions: [],
    signatures: [],
  };
  const result = pending.dryRun({ transaction }, PRICE_ONLY).operation_results[0];
  invariant(result !== undefined && CONTRACT_RECEIPTS.includes(result[0]), 'a contract call gives a receipt');
  return (result[1] as { fee: Asset }).fee;
}
