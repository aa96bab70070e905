import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { join } from 'node:path';
import t from 'tap';
import { DelayedBlocks, type DelayedParts } from '../../plugins/delayed_node/delayed-blocks.js';
import { delayedOptions } from '../../plugins/delayed_node/options.js';
import '../../src/operations/index.js';
import { systemClock } from '../../src/node/runtime/clock.js';
import { eventually } from '../support/eventually.js';
import { GOLDEN_GENESIS_FILE, GoldenProcess } from '../support/golden-process.js';
import { MemoryLog } from '../support/memory-log.js';
import { NETWORK } from '../support/network.js';
import { rpcCall } from '../support/rpc-call.js';
import { runTrustnode } from '../support/run-trustnode.js';

/** A node behind another one, both real processes, over the recorded chain: it has what is irreversible there. */

const PORTS_FROM = 20_000;
const PORTS = 10_000;

async function portBelowOthers(): Promise<number> {
  for (;;) {
    const port = PORTS_FROM + randomInt(PORTS);
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false));
      server.listen(port, '127.0.0.1', () => resolve(true));
    });
    await new Promise((resolve) => server.close(resolve));
    if (isFree) return port;
  }
}

t.test('it follows, whatever either of the two goes through', async (t) => {
  const folder = t.testdir();
  const trusted = (port: number): GoldenProcess =>
    new GoldenProcess(join(folder, 'trusted'), ['--plugins', 'account_history'], port);
  const delayed = (port: number): GoldenProcess =>
    new GoldenProcess(join(folder, 'delayed'), [
      ...['--plugins', 'delayed_node account_history'],
      ...['--trusted-node', `127.0.0.1:${port}`],
    ]);
  const reaches = async (life: GoldenProcess, number: number): Promise<void> => {
    await eventually(`block ${number}`, async () => (await life.head()).head_block_number >= number, 50);
    t.equal((await life.head()).head_block_number, number, 'and not beyond');
  };

  // It comes back on the same port: one that the system does not give to others meanwhile.
  let first = await trusted(await portBelowOthers()).ready();
  await first.push(100);
  let second = await delayed(first.port).ready();
  // Heads of the recorded delayed node, which is the reference's: 93 and 103. It got nothing before the first notice.
  await reaches(second, 92);
  await first.push(101);
  await reaches(second, 93);
  await first.push(110);
  await reaches(second, 103);

  await first.end('SIGKILL');
  await second.process.until(/nothing comes from the trusted node, it is tried again/);
  await second.push(104);
  t.equal((await second.head()).head_block_number, 104, 'as recorded: blocks of others are taken too');
  first = await trusted(first.port).ready();
  await first.push(120);
  // There the recorded one has stopped for good.
  await reaches(second, 110);

  await second.end('SIGKILL');
  const { port } = first;
  await first.push(130);
  const { last_irreversible_block_num: last } = await first.head();
  await first.end('SIGTERM');
  second = await delayed(port).ready();
  await second.process.until(/nothing comes from the trusted node, it is tried again/);
  first = await trusted(port).ready();
  await reaches(second, last);
  const ids = Array.from({ length: 100 }, (_, i) => `1.11.${i}`);
  const objectsOf = (life: GoldenProcess): Promise<unknown> => rpcCall(life.endpoint, 'get_objects', [ids]);
  t.same(await objectsOf(second), await objectsOf(first), 'and the same histories');
  const block = (life: GoldenProcess): Promise<unknown> => rpcCall(life.endpoint, 'get_block', [last]);
  t.same(await block(second), await block(first));

  // What it would be told on another chain, or on another branch.
  const troubleWith = async (id: string | undefined, chainId: string): Promise<string> => {
    const queries = { chainId, state: { network: NETWORK }, head: { number: 5, irreversible: 5 }, blockIdOf: () => id };
    const take = async (): Promise<void> => {
      t.fail('nothing is taken');
    };
    const blocks = new DelayedBlocks({
      url: `ws://127.0.0.1:${port}`,
      chain: { queries } as unknown as DelayedParts['chain'],
      intake: { take },
      clock: systemClock,
      log: new MemoryLog(),
    });
    const trouble = await eventually('a reason', () => blocks.trouble);
    t.notOk(blocks.isConnected);
    await blocks.close();
    return trouble;
  };
  t.match(await troubleWith('00', 'ab'), /^the trusted node ws:.* is of chain [0-9a-f]{64}, and this is chain ab$/);
  const chainId = await rpcCall<string>(first.endpoint, 'get_chain_id', []);
  t.match(await troubleWith('00', chainId), /has another block 5 than 00, which is irreversible here$/);

  second.process.kill('SIGINT');
  t.equal((await second.process.finished).code, 0);
  await first.end('SIGTERM');
});

t.test('options', async (t) => {
  const { kind } = delayedOptions['trusted-node'];
  t.equal(kind.parse('10.0.0.1:8090'), 'ws://10.0.0.1:8090');
  t.equal(kind.parse('wss://example.org/ws'), 'wss://example.org/ws');
  for (const text of ['nowhere', 'http://a:1', 'ws://', 'a b:1']) t.equal(kind.parse(text), undefined, text);
  const args = ['start', '--data-dir', t.testdir(), '--genesis-json', GOLDEN_GENESIS_FILE];
  const without = await runTrustnode([...args, '--plugins', 'delayed_node']);
  t.equal(without.code, 1);
  t.match(without.stderr, /delayed_without_node.*plugin delayed_node needs option trusted-node/);
});
