import { check } from '../base/errors.js';
import { array } from '../codec/containers.js';
import { bool, SCALAR_ERRORS, share, text, time, u32 } from '../codec/scalars.js';
import { struct } from '../codec/struct.js';
import type { PlainType } from '../codec/type.js';
import { accountId } from '../protocol/ids.js';
import { transactionId } from '../protocol/keys.js';
import { processedTransaction } from '../protocol/transaction.js';
import { declareApi, declareMethod } from './define.js';
import { json } from './types.js';

/** Where a development chain stands. */
export const devStatus = struct('dev_status', {
  head_block_number: u32,
  head_block_time: time,
  now: time,
  producing: bool,
});

/** A transaction that waits for a block. */
export const devWaiting = struct('dev_waiting', { id: transactionId, trx: processedTransaction });

/** What would wrap around or lose a part is refused: nobody who says -10 means 136 years. */
const count: PlainType<number> = {
  ...u32,
  fromJson: (given) => {
    const value = u32.fromJson(given);
    check(Number(given) === value, SCALAR_ERRORS.json_integer, { type: 'uint32_t', value: String(given) });
    return value;
  },
};

export const devApi = declareApi({
  name: 'dev',
  isClosedToPages: true,
  isOpenToOwnPage: true,
  about:
    'Time and blocks in the hands of whoever tests on a development chain. Every other node refuses it: it is there with `--dev` alone. See [dev-chain.md](dev-chain.md).',
  methods: {
    dev_mine: declareMethod({
      about:
        'Makes this many blocks at once: the first in the slot that the clock has reached, each at least so many seconds after the block before, with 0 in the slot after it. Without arguments: one. The clock of the node goes along, so that blocks keep coming at their time afterwards.',
      params: { blocks: count, seconds_between: count },
      defaults: { blocks: 1, seconds_between: 0 },
      result: devStatus,
      waits: true,
    }),
    dev_setTime: declareMethod({
      about: 'Sets the clock of the node, which runs on from there; not behind the time of the head block.',
      params: { time },
      result: devStatus,
    }),
    dev_increaseTime: declareMethod({
      about: 'Moves the clock of the node forward by so many seconds.',
      params: { seconds: count },
      result: devStatus,
    }),
    dev_setProducing: declareMethod({
      about: 'Whether blocks are made at their time. Without, they come by dev_mine alone, also with `dev-block-ms`.',
      params: { producing: bool },
      result: devStatus,
    }),
    dev_faucet: declareMethod({
      about:
        'The faucet pays the account of this name so much of the core asset, in its smallest unit, with a transaction that waits for a block as any other. Answers with its id.',
      params: { account: text, amount: share },
      result: transactionId,
    }),
    dev_pending: declareMethod({
      about: 'Transactions that wait for a block, in the order in which blocks would take them.',
      params: {},
      result: array(devWaiting),
    }),
    dev_dropPending: declareMethod({
      about: 'Forgets all transactions that wait for a block, and answers with how many there were.',
      params: {},
      result: u32,
    }),
    dev_dropTransaction: declareMethod({
      about: 'Forgets one transaction that waits for a block, and those that build on it; false if it does not wait.',
      params: { id: transactionId },
      result: bool,
    }),
    dev_setBalance: declareMethod({
      about:
        'What an account (name or id) has of an asset (symbol or id), in its smallest unit, from now on: a change of the head block, without a transaction. The supply of the asset changes by as much.',
      params: { account: text, asset: text, amount: share },
      result: devStatus,
    }),
    dev_impersonate: declareMethod({
      about:
        'Transactions that need the authority of this account (name or id) are taken without its signatures, until dev_stopImpersonate or a restart. Answers with all accounts of which that holds.',
      params: { account: text },
      result: array(accountId),
    }),
    dev_stopImpersonate: declareMethod({
      about: 'Signatures of this account are asked for again. Answers with the accounts of which they still are not.',
      params: { account: text },
      result: array(accountId),
    }),
    dev_trace: declareMethod({
      about:
        'What the contract calls of a transaction did when it ran last on this node: as a tree of actions with their arguments, what each printed, and the one that failed.',
      params: { id: transactionId },
      result: array(json),
    }),
    dev_contractTraces: declareMethod({
      about:
        'What the newest calls of a contract (name or id) did, the newest first, as dev_trace has it: those by other contracts and those that were refused as well. At most 100 of them.',
      params: { account: text, limit: count },
      defaults: { limit: 25 },
      result: array(json),
    }),
    dev_snapshot: declareMethod({
      about:
        'Remembers where the whole chain stands: blocks, state, what waits, and the clock. Answers with a number for dev_revert.',
      params: {},
      result: u32,
    }),
    dev_revert: declareMethod({
      about:
        'Takes the whole chain back to a snapshot, over irreversible blocks too. The snapshot is used up, and so are those that were made after it.',
      params: { snapshot: count },
      result: devStatus,
    }),
    dev_dropSnapshots: declareMethod({
      about:
        'Forgets all snapshots, and answers with how many there were. As long as there is one, everything that comes after it is kept in memory.',
      params: {},
      result: u32,
    }),
    dev_dumpState: declareMethod({
      about:
        'The whole chain as one text, for dev_loadState in another process: blocks, what was changed beside them, what waits, and the clock.',
      params: {},
      result: text,
    }),
    dev_loadState: declareMethod({
      about:
        'Has the chain go the way of a dumped one, and stand where that stood. It has to have no block of its own yet, or a snapshot from then.',
      params: { state: text },
      result: devStatus,
    }),
    dev_status: declareMethod({
      about: 'Where the chain stands, what time it is for the node, and whether blocks are made at their time.',
      params: {},
      result: devStatus,
    }),
  },
});
