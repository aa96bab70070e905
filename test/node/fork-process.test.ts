import { join } from 'node:path';
import t, { type Test } from 'tap';
import { PrivateKey } from '../../src/crypto/private-key.js';
import { publicKeyToText } from '../../src/crypto/public-key.js';
import { NodeProcess } from '../support/node-process.js';
import { realChain } from '../support/real-chain.js';
import { rpcCall } from '../support/rpc-call.js';

/** A fork of a chain as people run it, and as machines end it. */

interface Running {
  readonly process: NodeProcess;
  readonly url: string;
}

async function start(t: Test, line: readonly string[]): Promise<Running> {
  const process = new NodeProcess([
    'start',
    '--dev',
    '--rpc-endpoint',
    '127.0.0.1:0',
    '--verify-threads',
    '0',
    ...line,
  ]);
  t.teardown(() => process.kill('SIGKILL'));
  const [, url = ''] = await process.until(/RPC +http:\/\/(127\.0\.0\.1:\d+)/);
  return { process, url };
}

interface Status {
  readonly head_block_number: number;
}

t.test('a fork says what it is, and goes on after kill -9', async (t) => {
  const folder = t.testdir();
  const { files, genesis, blocks, chainId } = await realChain(folder);
  const line = ['--fork-snapshot', files[1], '--genesis-json', genesis, '--data-dir', join(folder, 'fork')];
  const first = await start(t, [...line, '--dev-block-ms', '0']);
  await first.process.until(new RegExp(`A fork of a chain is running, from its block ${blocks[1]} on`));
  await first.process.until(new RegExp(`chain id +${chainId}`));
  await first.process.until(/what is signed for it may be valid there as well/);
  await first.process.until(/dev-3 /);
  t.notMatch(first.process.stdout, /alice/);

  await rpcCall(first.url, 'dev_impersonate', ['treasury']);
  await rpcCall(first.url, 'dev_faucet', ['dev-1', 5]);
  await rpcCall<Status>(first.url, 'dev_mine', [40]);
  const key = publicKeyToText(PrivateKey.fromSeed('somebody').publicKey, 'GXC');
  const registered = await fetch(`http://${first.url}/account/register`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ account: { name: 'somebody-new', owner_key: key, active_key: key, memo_key: key } }),
  });
  t.equal(registered.status, 200, await registered.text());
  const before = await rpcCall<Status>(first.url, 'dev_status', []);
  t.ok(before.head_block_number > blocks[1] + 40, 'one block for the account too');
  first.process.kill('SIGKILL');
  await first.process.finished;

  const second = await start(t, line);
  const after = await rpcCall<Status>(second.url, 'dev_status', []);
  t.ok(after.head_block_number >= before.head_block_number, 'nothing is lost');
  const mined = await rpcCall<Status>(second.url, 'dev_mine', [2]);
  t.ok(mined.head_block_number >= after.head_block_number + 2);
  const found = await rpcCall<(object | null)[]>(second.url, 'lookup_account_names', [['somebody-new', 'treasury']]);
  t.notOk(found.includes(null), 'accounts of both chains are there');
  second.process.kill('SIGTERM');
  t.equal((await second.process.finished).code, 0);
});
