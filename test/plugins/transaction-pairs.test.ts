import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import t from 'tap';
import '../../src/operations/index.js';
import { transactionPort } from '../../src/node/ports/transaction-port.js';
import { askable, goldenPorts } from '../rpc/support/golden-rpc.js';
import { compare } from '../rpc/support/golden-rules.js';
import { FollowedChain } from '../support/followed-chain.js';
import { GOLDEN_LAST, goldenBlocks, goldenGenesis } from '../support/golden.js';
import { projectPath } from '../support/paths.js';
import { openIndex } from '../support/transaction-index.js';

interface Pair {
  readonly request: string;
  readonly response: string;
  /** What the head was then; the last one of the chain where nothing is said. */
  readonly head?: number;
}

t.test('transactions are found by their id from when they are irreversible on, as recorded', async (t) => {
  const bytes = readFileSync(projectPath('test/vectors/plugins/txid-pairs.jsonl.gz'));
  const pairs = gunzipSync(bytes)
    .toString('utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Pair);
  t.equal(pairs.length, 1280);
  const blocks = [...goldenBlocks()];
  const chain = await FollowedChain.open(goldenGenesis());
  const index = openIndex(t.testdir(), chain.stored.chain.chainId);
  const added = chain.host.add(index);
  const transactions = transactionPort({ index, feed: chain.feed, added });
  const { ask } = askable({ ...goldenPorts(chain.stored.chain), transactions });
  let found = 0;
  for (const { request, response, head = GOLDEN_LAST } of pairs) {
    chain.push(blocks, head);
    await added.caughtUp();
    const answer = (await ask('ws', request)) ?? '';
    const difference = compare(answer, response);
    if (difference !== undefined) t.same(difference, undefined, request);
    if (answer.includes('"operations":[[')) found++;
  }
  t.comment(`${found} found`);
  t.ok(found > 500);
  await chain.close();
});
