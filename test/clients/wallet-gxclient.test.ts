import t from 'tap';
import { fromHex, toHex } from '../../src/base/bytes.js';
import { encode } from '../../src/codec/binary.js';
import type { Json, JsonObject } from '../../src/codec/json.js';
import { DEV_ACCOUNTS } from '../../src/node/dev/dev-network.js';
import { signedTransaction, transaction } from '../../src/protocol/transaction.js';
import { startDevNode } from '../support/dev-node.js';
import { NETWORK } from '../support/network.js';
import { walletOn } from '../wallet/support/wallet-on.js';
import { type Broadcast, GxClientThread } from './support/gxclient.js';

/** What the public client builds and signs is to the wallet the transaction that it would make itself, and the other way. */

const folder = t.testdir();
const dev = await startDevNode(folder);
dev.clock.advance(9_000);
const [alice, bob] = DEV_ACCOUNTS.map(({ name, key }) => ({ name, wif: key.toWif(), key: key.publicKey }));
if (alice === undefined || bob === undefined) throw new Error('the development network has both');
const { wallet, run, close } = await walletOn(dev, folder, 'wallet', { alice: alice.wif });
const client = new GxClientThread(`http://${dev.node.endpoints.plain}`);
t.teardown(async () => {
  await client.close();
  await close();
  await dev.node.stop();
});
const publicKeyOf = async (name: string): Promise<string> =>
  (await run<{ active: { key_auths: [string, number][] } }>('get_account', name)).active.key_auths[0]?.[0] ?? '';

interface Made {
  readonly ref_block_num: number;
  readonly ref_block_prefix: number;
  readonly expiration: string;
  readonly operations: [number, JsonObject][];
  readonly signatures: string[];
}

/** The bytes that are signed, of the transaction that the wallet's builder makes of the same operations. */
async function builtAlike(theirs: Made): Promise<{ readonly bytes: string; readonly json: JsonObject }> {
  const handle = await run<number>('begin_builder_transaction');
  for (const [tag, { fee: _, ...body }] of theirs.operations) {
    await run('add_operation_to_builder_transaction', handle, [tag, body]);
  }
  await run('set_fees_on_builder_transaction', handle, 'GXC');
  const built = await run<JsonObject>('preview_builder_transaction', handle);
  const { ref_block_num, ref_block_prefix, expiration } = theirs;
  const json = { ...built, ref_block_num, ref_block_prefix, expiration };
  return { bytes: toHex(encode(transaction, transaction.fromJson(json, NETWORK))), json };
}

const MADE: readonly (readonly [what: string, method: string, args: readonly unknown[]])[] = [
  ['a transfer', 'transfer', ['bob', '', '1.23456 GXC', false]],
  ['a transfer with a memo', 'transfer', ['bob', 'a memo: grüße', '2 GXC', false]],
  ['votes', 'vote', [['init0', 'init1'], false]],
];

for (const [what, method, args] of MADE) {
  t.test(what, async (t) => {
    const theirs = await client.call<Made>(alice, method, ...args);
    const ours = await builtAlike(theirs);
    const read = signedTransaction.fromJson(theirs as unknown as Json, NETWORK);
    t.equal(toHex(encode(transaction, read)), ours.bytes, 'the same unsigned bytes, fee and all');
    const id = await run('get_transaction_id', theirs as unknown as Json);
    t.equal(id, await run('get_transaction_id', { ...ours.json, signatures: [] }), 'and the same id');
    const key = await publicKeyOf('alice');
    t.equal(theirs.signatures.length, 1);
    t.equal(await run('verify_transaction_signature', theirs as unknown as Json, key), true, 'the client’s signature');
    t.equal(await run('verify_transaction_signature', theirs as unknown as Json, await publicKeyOf('bob')), false);
    t.match(await run('review_transaction', theirs as unknown as Json), { id, is_complete: true, signed_by: [key] });
    t.equal(
      await run('serialize_transaction', theirs as unknown as Json),
      `${ours.bytes}01${theirs.signatures[0]}`,
      'with the client’s signature behind them',
    );
    t.ok(fromHex(ours.bytes).length > 20);
    const [sent] = await run<[string]>('broadcast_transaction', theirs as unknown as Json);
    t.equal(sent, id, 'the wallet sends what the client has made');
    dev.clock.advance(3_000);
  });
}

t.test('the client sends what the wallet has signed', async (t) => {
  const [id, tx] = await run<[string, JsonObject]>(
    'transfer3',
    'alice',
    'bob',
    '3',
    'GXC',
    'by the wallet',
    'GXC',
    false,
  );
  const sending = client.call<Broadcast[]>(alice, 'broadcast', tx);
  let isOver = false;
  const done = sending.finally(() => {
    isOver = true;
  });
  // It waits for the block.
  while (!isOver) {
    dev.clock.advance(3_000);
    await new Promise((resume) => setTimeout(resume, 50));
  }
  const [answer] = await done;
  t.equal(answer?.id, id);
  t.match(await run('get_transaction_status', tx), { state: /included|irreversible/ });
  t.ok(wallet.ring.has(alice.key));
});
