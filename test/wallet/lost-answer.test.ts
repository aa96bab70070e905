import t from 'tap';
import { ChainError } from '../../src/base/errors.js';
import { RpcConnectionError } from '../../src/client/connection.js';
import type { Json, JsonObject } from '../../src/codec/json.js';
import { runCommand } from '../../src/wallet/commands/index.js';
import { type NodeLink, nodeError } from '../../src/wallet/node-link.js';
import { asSender } from '../../src/wallet/sending/sender.js';
import { errorJson } from '../../src/wallet/text/detail.js';
import { linkTo, openRecorded, recordedChain } from './support/frozen.js';

t.test('a program is told which transaction may have arrived, and pays once', async (t) => {
  const node = linkTo(recordedChain());
  const losing: NodeLink = {
    call: async (api, method, params) => {
      const answer = await node.call(api, method, params);
      if (api === 'network_broadcast') throw nodeError(new RpcConnectionError('the connection was closed'));
      return answer;
    },
  };
  const { wallet, remove } = await openRecorded('10-frozen-start.json', losing);
  t.teardown(remove);
  wallet.ring.unlock('supersecret');
  const run = async (name: string, ...params: Json[]) => (await runCommand(wallet, name, params)).result;
  const pay = () => run('transfer', 'nathan', 'alice', '1', 'GXS', 'a memo', true);
  const lost = (work: Promise<Json>): Promise<JsonObject> =>
    work.then(
      () => t.fail('an answer came'),
      (error: unknown) => {
        if (!(error instanceof ChainError)) throw error;
        const { data } = errorJson(error, { method: 'transfer', params: [], form: 'rpc' }, 0) as { data: JsonObject };
        t.equal(data.key, 'node_gone');
        return (data.stack as { data: JsonObject }[])[0]?.data as JsonObject;
      },
    ) as Promise<JsonObject>;

  const { transaction, transaction_id } = await lost(pay());
  t.equal(await run('get_transaction_id', transaction as Json), transaction_id);
  const status = { id: transaction_id, state: 'waiting' };
  t.match(await run('get_transaction_status', transaction as Json), status);
  await t.rejects(node.call('network_broadcast', 'broadcast_transaction', [transaction as Json]), /duplicated trx/);

  const sender = { approve: async () => true, sent: () => undefined };
  t.strictSame(Object.keys(await lost(asSender(sender, pay))), ['reason'], 'somebody at a prompt is told otherwise');
});
