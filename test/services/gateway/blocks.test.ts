import { join } from 'node:path';
import t, { type Test } from 'tap';
import { packObjectId } from '../../../src/protocol/ids.js';
import type { FollowedBlock } from '../../../src/services/chain/follower.js';
import { RegistrationBlocks } from '../../../src/services/gateway/blocks.js';
import { openGatewayDatabase } from '../../../src/services/gateway/gateway.js';
import type { RegistrationRow } from '../../../src/services/gateway/tables.js';
import { MemoryLog } from '../../support/memory-log.js';
import { placeOf } from '../support/databases.js';

/** What blocks and fork switches make of registrations where several gateways read them, each in its own time. */

const REGISTRAR = 17;
const TXID = 'ab'.repeat(20);
const ROW: RegistrationRow = {
  ...{ name: 'newcomer-1', state: 'sent', owner_key: '', active_key: '', memo_key: '', referrer: 17, percent: 0 },
  ...{ day: 1, units: '100', packed: '', txid: TXID, tx_expiration: 1000, after_block: 5, attempts: 1, next_ms: 0 },
  ...{ block: null, block_id: null, account: null, invite: null, created_ms: 0 },
};

const idOf = (number: number, branch: string): string => `${number.toString(16).padStart(8, '0')}${branch.repeat(32)}`;

function blockOf(number: number, branch: string, txid?: string): FollowedBlock {
  const registered = txid !== undefined;
  const transactions = registered
    ? [
        {
          operations: [[5, { registrar: REGISTRAR, name: ROW.name }]],
          operation_results: [[1, packObjectId(1, 2, 99)]],
        },
      ]
    : [];
  const transaction_ids = registered ? [txid] : [];
  const block = { block_id: idOf(number, branch), timestamp: 900 + number, transactions, transaction_ids };
  return block as unknown as FollowedBlock;
}

/** `has`: blocks of the node that are not empty. */
async function open(t: Test, has: readonly FollowedBlock[] = []) {
  const db = await openGatewayDatabase(await placeOf(join(t.testdir(), 'gateway')));
  t.teardown(() => db.destroy());
  await db.insertInto('registration').values(ROW).execute();
  const again: string[] = [];
  const asked: number[] = [];
  const instance = (): RegistrationBlocks =>
    new RegistrationBlocks({
      db,
      registrar: REGISTRAR,
      again: async ({ txid }) => void again.push(txid),
      blockAt: async (number) => {
        asked.push(number);
        return has.find(({ block_id }) => Number.parseInt(block_id.slice(0, 8), 16) === number) ?? blockOf(number, 'b');
      },
      log: new MemoryLog(),
    });
  const row = () => db.selectFrom('registration').selectAll().executeTakeFirstOrThrow();
  return { instance, row, again, asked };
}

t.test('a block that one undoes late leaves what another one has found in the other branch', async (t) => {
  const { instance, row } = await open(t);
  const [quick, slow] = [instance(), instance()];
  await slow.applied(blockOf(7, 'a', TXID));
  await quick.applied(blockOf(7, 'b', TXID));
  await slow.undone(7, idOf(7, 'a'));
  t.match(await row(), { state: 'included', block: 7, account: 99 });
  await quick.undone(7, idOf(7, 'b'));
  t.match(await row(), { state: 'sent', block: null, account: null });
});

t.test('nothing is final for a block of another branch', async (t) => {
  const { instance, row } = await open(t);
  const [quick, slow] = [instance(), instance()];
  await slow.applied(blockOf(7, 'a', TXID));
  await quick.applied(blockOf(7, 'b'));
  t.match(await row(), { state: 'sent', account: null }, 'it is not in this branch');
  await slow.applied(blockOf(7, 'a', TXID));
  await quick.settled(7, 907);
  t.match(await row(), { state: 'included' }, 'whoever has read it there is to take it back');
  await slow.undone(7, idOf(7, 'a'));
  await quick.applied(blockOf(8, 'b', TXID));
  await quick.settled(8, 908);
  t.match(await row(), { state: 'final', block: 8, account: 99 });
});

t.test('what nobody has noted is looked for in the blocks before it is made anew', async (t) => {
  const { instance, row, again, asked } = await open(t, [blockOf(8, 'b', TXID)]);
  const blocks = instance();
  await blocks.settled(150, 1050);
  t.same(again, [], 'it was paid for');
  t.match(await row(), { state: 'final', block: 8, account: 99 });
  t.same(asked, [6, 7, 8]);
});

t.test('what no block has is made anew, and not while a block is missing', async (t) => {
  const { instance, again } = await open(t);
  const blocks = instance();
  await blocks.applied(blockOf(6, 'c'));
  await blocks.settled(150, 1050);
  t.same(again, [], 'the node is on another branch than the one that was read');
  await instance().settled(150, 1050);
  t.same(again, [TXID]);
});
