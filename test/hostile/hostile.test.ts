import t, { type Test } from 'tap';
import { uwsTransport } from '../../src/http/uws-server.js';
import { Campaign } from './campaign.js';
import type { TransportName } from './target.js';

/**
 * The short form of `npm run hostile`: every way of attack at once on a live node, some seconds on each transport. No
 * slot is missed, memory comes back, no answer and no line of the log is a bug, and who means well is served.
 */

const SECONDS = 10;
const WARM_SECONDS = 5;
const SEED = 20_261_122;
/** Of each, or the attack has not taken place. */
const KINDS = [
  'json-rpc',
  'http head',
  'http chunked',
  'ws fragments',
  'ws damaged',
  'transaction',
  'contract module',
  'block brother',
];

async function withstands(t: Test, transport: TransportName): Promise<void> {
  const options = { folder: t.testdir(), transport, seed: SEED, seconds: SECONDS, warmSeconds: WARM_SECONDS };
  const { problems, lines, ledger } = await new Campaign(options).run();
  for (const line of lines) t.comment(line);
  t.same(problems, [], 'the node has withstood');
  for (const kind of KINDS) t.ok(ledger.counts.has(kind), kind);
  t.ok((ledger.counts.get('ws fragments')?.answered ?? 0) > 0, 'connections come as far as their frames');
  t.ok((ledger.counts.get('transaction')?.answered ?? 0) > 0, 'some transactions are good enough to be accepted');
}

if (uwsTransport() === undefined) t.comment('the native server does not load here: its attack is left out');
else t.test('a hostile crowd on the fast server', (t) => withstands(t, 'uws'));
t.test('a hostile crowd on the server that runs everywhere', (t) => withstands(t, 'node-http'));
