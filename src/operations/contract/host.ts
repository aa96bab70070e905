import { fromHex } from '../../base/bytes.js';
import { check, defineErrors, type ErrorRow } from '../../base/errors.js';
import { encode } from '../../codec/binary.js';
import { decodeText } from '../../codec/text.js';
import { makeAsset } from '../../protocol/asset.js';
import { CORE_ASSET, type Instance } from '../../protocol/ids.js';
import type { OperationBody } from '../../protocol/operation-slot.js';
import { type Transaction, transaction as transactionType } from '../../protocol/transaction.js';
import { accountObject } from '../../state/objects/account.js';
import { assetObject } from '../../state/objects/asset.js';
import { BLOCK_SUMMARY_COUNT, blockSummaryObject } from '../../state/objects/block-summary.js';
import { dynamicGlobalPropertyObject } from '../../state/objects/dynamic-global-property.js';
import { isContract } from '../../state/rules/accounts.js';
import { balanceOf } from '../../state/rules/balances.js';
import { prettyAmount } from '../../state/rules/pretty.js';
import type { ReadState, WriteState } from '../../state/views.js';
import type { OperationContext } from '../define.js';
import { inlineTransfer } from '../transfer/inline-transfer.js';
import type {
  ContractChain,
  ContractCode,
  ContractEffects,
  ContractHost,
  ContractRules,
  ContractSession,
  CurrentTransaction,
} from './engine.js';
import { contractStore } from './store.js';

/** What the engine sees of the chain while it runs code. */

export const CONTRACT_HOST_ERRORS = defineErrors({
  contract_memos_large: {
    kind: 'limit',
    text: 'this node takes in at most ${limit} bytes of memos that the contracts of one transaction write',
  },
  contract_arguments_large: {
    kind: 'limit',
    text: 'this node takes in at most ${limit} bytes of arguments that the contracts of one transaction send to others',
  },
});

const INLINE_TRANSFER_TAG = 78;
const INTER_CONTRACT_CALL_TAG = 79;

function rulesOf(s: ReadState): ContractRules {
  return {
    ram_per_payer: s.active('HF_1016'),
    inline_calls: s.active('HF_1016'),
    inline_transfer: s.active('HF_1017'),
    removes_emptied_tables: !s.active('HF_1020'),
    index_update_keeps_payer: s.active('HF_1021'),
    key_as_text: s.active('HF_1022'),
    asset_precision: s.active('HF_1023'),
  };
}

/** Unknown accounts are refused as any lookup of an object; accounts without code are no contracts. */
function findContract(s: ReadState, account: Instance): ContractCode | undefined {
  const found = s.get(accountObject, account);
  if (!isContract(found)) return undefined;
  return { code: found.code, codeVersion: found.code_version, actions: found.abi.actions };
}

/** The newest 65536 ids are part of the state; older ones come from the block store. */
function findBlockId(s: ReadState, context: OperationContext, number: number): Uint8Array | undefined {
  const isRecent = number > s.headNumber - BLOCK_SUMMARY_COUNT && number <= s.headNumber;
  const id = isRecent ? s.find(blockSummaryObject, number % BLOCK_SUMMARY_COUNT)?.block_id : context.blockId?.(number);
  return id === undefined ? undefined : fromHex(id);
}

/** The last transaction that a contract has asked for. */
let lastPacked: { readonly transaction: Transaction; readonly bytes: Uint8Array } | undefined;

/**
 * Packed when somebody asks, once: a contract may ask for its size and its bytes again and again, and each of twenty
 * thousand calls in the same transaction may.
 */
function packedOnce(transaction: Transaction): Uint8Array {
  if (lastPacked?.transaction !== transaction) {
    lastPacked = { transaction, bytes: encode(transactionType, transaction) };
  }
  return lastPacked.bytes;
}

function currentTransaction(transaction: Transaction | undefined, operation: number): CurrentTransaction | undefined {
  if (transaction === undefined) return undefined;
  return {
    packed: () => packedOnce(transaction),
    expirationSec: transaction.expiration,
    refBlockNum: transaction.ref_block_num,
    refBlockPrefix: transaction.ref_block_prefix,
    operation,
  };
}

function chainOf(s: ReadState, context: OperationContext): ContractChain {
  const transaction = currentTransaction(context.transaction, context.journal.index);
  return {
    headBlockNum: () => s.headNumber,
    headBlockId: () => fromHex(s.single(dynamicGlobalPropertyObject).head_block_id),
    headBlockTimeSec: () => s.headTime,
    isBlockUnderWay: (number) => context.transaction === undefined && number === s.headNumber,
    blockId: (number) => findBlockId(s, context, number),
    accountByName: (name) => s.findBy(accountObject.by.name, name)?.id,
    accountName: (account) => s.find(accountObject, account)?.name,
    assetBySymbol: (symbol) => s.findBy(assetObject.by.symbol, symbol)?.id,
    assetPrecision: (asset) => s.find(assetObject, asset)?.precision,
    balance: (account, asset) => balanceOf(s, Number(account), Number(asset)),
    formatAsset: (amount, asset) => {
      s.get(assetObject, Number(asset));
      return prettyAmount(s, makeAsset(amount, Number(asset)));
    },
    contract: (account) => findContract(s, account),
    transaction: () => transaction,
  };
}

/**
 * Memos and arguments that contracts make: they are kept with the operation, and by whoever keeps histories. Nothing in a
 * block bounds them, so a block of others may hold any number.
 */
function countMade(made: OperationContext['contractMemos'], bytes: number, refusal: ErrorRow): void {
  made.bytes += bytes;
  const { bytesMax: limit } = made;
  check(made.bytes <= limit, refusal, { limit });
}

/** Operations that running code issues go the way of all operations, but no fee is asked of them. */
function effectsOf(s: WriteState, context: OperationContext, session: () => ContractSession): ContractEffects {
  const issue = (tag: number, body: OperationBody): void => {
    context.run(s, [tag, body], { issuedByContract: true, billedCpuUs: 0, contractRun: session() });
  };
  return {
    transfer({ from, to, asset, amount, memo }) {
      countMade(context.contractMemos, memo.length, CONTRACT_HOST_ERRORS.contract_memos_large);
      const body = {
        fee: makeAsset(0n, CORE_ASSET),
        from: Number(from),
        to: Number(to),
        amount: makeAsset(amount, Number(asset)),
        // The bytes stay outside of the engine's heap, whose end is the end of the node; a text is made for who reads it.
        get memo() {
          return decodeText(memo, 0, memo.length);
        },
        extensions: [],
      };
      inlineTransfer.validate(body);
      issue(INLINE_TRANSFER_TAG, body);
    },
    callContract({ sender, contract, amount, method, data }) {
      countMade(context.contractArguments, data.length, CONTRACT_HOST_ERRORS.contract_arguments_large);
      const body = {
        fee: makeAsset(0n, s.coreAsset),
        sender_contract: sender,
        contract_id: contract,
        amount: amount === undefined ? undefined : makeAsset(amount.amount, amount.asset),
        method_name: method,
        data,
        extensions: [],
      };
      issue(INTER_CONTRACT_CALL_TAG, body);
    },
  };
}

export function contractHost(s: WriteState, context: OperationContext, session: () => ContractSession): ContractHost {
  return {
    rules: rulesOf(s),
    chain: chainOf(s, context),
    store: contractStore(s),
    effects: effectsOf(s, context, session),
  };
}
