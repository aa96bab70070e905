import t from 'tap';
import type { NodeClient } from '../../src/client/client.js';
import { RpcConnectionError, RpcError } from '../../src/client/connection.js';
import { SENT_ERRORS, sendTransaction } from '../../src/client/sent.js';
import { idOfTransaction } from '../../src/client/transactions.js';
import type { SignedTransaction } from '../../src/protocol/transaction.js';
import { NETWORK } from '../support/network.js';
import { refusedLater } from '../support/refused.js';

/** What becomes of a transaction, by what a node says in turn. */

const TRX: SignedTransaction = {
  ref_block_num: 1,
  ref_block_prefix: 0,
  expiration: 100,
  operations: [],
  extensions: [],
  signatures: [],
};
const ID = idOfTransaction(TRX);
const idOfBlock = (number: number): string => number.toString(16).padStart(8, '0').padEnd(40, '0');

interface Said {
  /** To each broadcast in turn; undefined: taken. */
  readonly broadcasts: readonly (Error | undefined)[];
  readonly blocks: readonly { readonly time: number; readonly holds?: boolean }[];
  /** So many questions in front fail with the connection. */
  readonly lost?: number;
}

function wayOf({ broadcasts, blocks, lost = 0 }: Said) {
  const told: number[] = [];
  let left = lost;
  const head = blocks.length;
  const database = {
    get_dynamic_global_properties: async () => {
      if (left-- > 0) throw new RpcConnectionError('gone');
      return { head_block_number: head, last_irreversible_block_num: head };
    },
    get_block: async ({ block_num }: { block_num: number }) => {
      const block = blocks[block_num - 1];
      if (block === undefined) return undefined;
      return {
        block_id: idOfBlock(block_num),
        previous: idOfBlock(block_num - 1),
        timestamp: block.time,
        transaction_ids: block.holds === true ? [ID] : [],
        transactions: block.holds === true ? [{ ...TRX, operation_results: [[1, 1n << 56n]] }] : [],
      };
    },
  };
  const network_broadcast = {
    broadcast_transaction: async () => {
      const answer = broadcasts[told.length];
      told.push(told.length);
      if (answer !== undefined) throw answer;
      return ID;
    },
  };
  const client = { database, network_broadcast } as unknown as NodeClient;
  const connection = { request: async () => null, subscribe: () => 0n, close: () => undefined };
  return { way: { client, connection, network: NETWORK }, told };
}

const refusal = (key: string): RpcError => new RpcError({ code: 1, message: 'no', data: { key } });
const FAST = { pollMs: 1 };

t.test('it is in a block', async (t) => {
  const { way } = wayOf({ broadcasts: [undefined], blocks: [{ time: 10 }, { time: 13, holds: true }] });
  const receipt = await sendTransaction(way, TRX, FAST);
  t.match(receipt, { id: ID, state: 'irreversible', block_num: 2, block_id: idOfBlock(2), created: ['1.0.0'] });
});

t.test('no block can take it any more', async (t) => {
  const { way } = wayOf({ broadcasts: [undefined], blocks: [{ time: 10 }, { time: 101 }] });
  await refusedLater(t, SENT_ERRORS.client_expired, sendTransaction(way, TRX, FAST));
});

t.test('a refusal is one', async (t) => {
  const { way } = wayOf({ broadcasts: [refusal('balance_too_low')], blocks: [] });
  const refused = await sendTransaction(way, TRX, FAST).catch((error: unknown) => error);
  t.ok(refused instanceof RpcError && refused.key === 'balance_too_low');
});

t.test('what is there already when it is sent for the first time was made by somebody else', async (t) => {
  const { way } = wayOf({ broadcasts: [refusal('transaction_duplicate')], blocks: [{ time: 10, holds: true }] });
  const refused = await sendTransaction(way, TRX, FAST).catch((error: unknown) => error);
  t.ok(refused instanceof RpcError && refused.key === 'transaction_duplicate', 'there is one payment, and not two');
});

t.test('whether it arrived is unknown: it is sent again, and one that is there already is no refusal', async (t) => {
  const broadcasts = [new RpcConnectionError('gone'), refusal('transaction_duplicate')];
  const { way, told } = wayOf({ broadcasts, blocks: [{ time: 10 }, { time: 13, holds: true }], lost: 1 });
  const receipt = await sendTransaction(way, TRX, FAST);
  t.equal(receipt.state, 'irreversible');
  t.equal(told.length, 2);
});

t.test('a node that goes away behind the block takes the answer with it, and not what is known', async (t) => {
  const { way } = wayOf({ broadcasts: [undefined], blocks: [{ time: 10 }, { time: 13, holds: true }] });
  const { get_block } = way.client.database;
  let asked = 0;
  const database = {
    ...way.client.database,
    get_block: async (given: { block_num: number }) => {
      if (given.block_num === 2 && ++asked > 1) throw new RpcConnectionError('gone');
      return get_block(given);
    },
  };
  const receipt = await sendTransaction({ ...way, client: { ...way.client, database } }, TRX, FAST);
  t.match(receipt, { id: ID, state: 'irreversible', block_num: 2, transaction: undefined, created: [] });
  t.equal(asked, 2);
});
