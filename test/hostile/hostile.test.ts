import t, { type Test } from 'tap';
import { uwsTransport } from '../../src/http/uws-server.js';
import { Campaign } from './campaign.js';
import type { Ledger } from './ledger.js';
import type { TransportName } from './target.js';

/**
 * The short form of `npm run hostile`: every way of attack at once on a live node, some seconds on each transport. No
 * slot is missed, memory comes back, no answer and no line of the log is a bug, and who means well is served.
 */

const SECONDS = 7;
const WARM_SECONDS = 4;
const SEED = 20_261_122;
/** Of each, or the attack has not taken place; of those marked, some must be good enough to be answered. */
const KINDS = [
  { kind: 'json-rpc' },
  { kind: 'http head' },
  { kind: 'http chunked' },
  { kind: 'ws fragments', isAnswered: true },
  { kind: 'ws damaged' },
  { kind: 'transaction', isAnswered: true },
  { kind: 'contract module' },
  { kind: 'block brother' },
];

/** A slow machine gets as far as a quick one, only later. */
const isEnough = ({ counts }: Ledger): boolean =>
  KINDS.every(({ kind, isAnswered }) => {
    const count = counts.get(kind);
    return count !== undefined && (isAnswered !== true || count.answered > 0);
  });

async function withstands(t: Test, transport: TransportName): Promise<void> {
  const times = { seconds: SECONDS, warmSeconds: WARM_SECONDS, isEnough };
  const campaign = new Campaign({ folder: t.testdir(), transport, seed: SEED, ...times });
  const { problems, lines, ledger } = await campaign.run();
  for (const line of lines) t.comment(line);
  t.same(problems, [], 'the node has withstood');
  t.ok(isEnough(ledger), 'every attack has taken place');
}

if (uwsTransport() === undefined) t.comment('the native server does not load here: its attack is left out');
else t.test('a hostile crowd on the fast server', (t) => withstands(t, 'uws'));
t.test('a hostile crowd on the server that runs everywhere', (t) => withstands(t, 'node-http'));
