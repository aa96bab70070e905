import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { tellLostWork } from '../runner/lost-work.js';
import { NetworkConsole } from './console.js';
import { DirectLinks, type Links, ProxyLinks } from './links.js';
import { LocalNetwork } from './local-network.js';
import { openForTransfers } from './money.js';
import { NamespaceLinks, whyNoNamespaces } from './namespaces.js';

/**
 * `npm run network -- --nodes 7 --witnesses 21 [--interval 3] [--links proxies|namespaces|direct] [--folder F]`: a local
 * network of real nodes. Without --folder its data goes when it ends.
 */

const MONEY_BLOCK = 2;
const USAGE =
  'npm run network -- [--nodes 7] [--witnesses 21] [--interval 3] [--links proxies|namespaces|direct] [--folder F]';

function wholeNumber(name: string, text: string, least: number, most: number): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < least || value > most) {
    throw new Error(`--${name} takes a whole number from ${least} to ${most}. ${USAGE}`);
  }
  return value;
}

async function linksOf(kind: string, nodes: number): Promise<Links> {
  if (kind === 'direct') return new DirectLinks();
  if (kind === 'proxies') return ProxyLinks.open(nodes);
  if (kind !== 'namespaces') throw new Error(`there are no links of the kind ${kind}. ${USAGE}`);
  const why = whyNoNamespaces();
  if (why !== undefined) throw new Error(`this machine gives no network namespaces: ${why}`);
  return new NamespaceLinks(nodes);
}

const { values } = parseArgs({
  options: {
    nodes: { type: 'string', default: '7' },
    witnesses: { type: 'string', default: '21' },
    interval: { type: 'string', default: '3' },
    links: { type: 'string', default: 'proxies' },
    folder: { type: 'string' },
  },
});

const nodes = wholeNumber('nodes', values.nodes, 1, 100);
const witnesses = wholeNumber('witnesses', values.witnesses, 1, 1001);
const blockIntervalSec = wholeNumber('interval', values.interval, 1, 30);
const folder = values.folder === undefined ? mkdtempSync(join(tmpdir(), 'trustnode-network-')) : resolve(values.folder);
const say = (line: string): void => void process.stdout.write(`${line}\n`);

const end = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => end.abort());

tellLostWork();
const links = await linksOf(values.links, nodes);
const network = new LocalNetwork({
  folder,
  nodes,
  witnesses,
  blockIntervalSec,
  links,
  more: ['--verify-threads', '0'],
});
try {
  say(`${nodes} nodes, ${witnesses} witnesses, data in ${folder}`);
  await network.start();
  for (const { index, rpc, peer, monitor } of network.nodes) {
    say(`node ${index}: rpc http://${rpc} ws://${rpc}, p2p ${peer}, metrics http://${monitor}/metrics`);
  }
  await network.reach(MONEY_BLOCK);
  await openForTransfers(network);
  for (const name of network.accounts) {
    say(`account ${name} has the money, its key is ${network.accountKey(name).toWif()}`);
  }
  await new NetworkConsole(network, { input: process.stdin, output: process.stdout }).run(end.signal);
  say('ending all nodes');
  const codes = await network.stop();
  if (codes.some((code) => code !== 0 && code !== null)) throw new Error(`exit codes: ${codes.join(' ')}`);
} catch (error) {
  // A Ctrl-C reaches the nodes too, and whoever waits for them.
  if (!end.signal.aborted) throw error;
} finally {
  await network.close();
  if (values.folder === undefined) rmSync(folder, { recursive: true, force: true });
}
process.exit();
