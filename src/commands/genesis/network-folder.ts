import { join } from 'node:path';
import { type Endpoint, endpoint } from '../../config/define.js';
import { publicKeyToText } from '../../crypto/public-key.js';
import { CONFIG_FILE } from '../../node/settings/options.js';
import { nodeFiles, PRIVATE } from '../../storage/files.js';
import type { NamedKey } from './template.js';

/** A private network that was made: `genesis create FOLDER` writes all of it, and a page that says what it is. */
export interface MadeNetwork {
  readonly name: string;
  readonly chainId: string;
  readonly genesis: Uint8Array;
  readonly keys: readonly NamedKey[];
  readonly prefix: string;
  readonly symbol: string;
  /** Those that have the money; the first one issues the core asset. */
  readonly accounts: readonly string[];
  /** JSON of what block 1 carries. */
  readonly firstTransactions: readonly object[];
  readonly witnesses: number;
  /** Where the nodes reach each other. */
  readonly nodes: readonly Endpoint[];
  readonly blockInterval: number;
}

export const KEYS_FILE = 'keys.json';
const FIRST_TRANSACTIONS = 'first-transactions.json';
const GENESIS_FILE = 'genesis.json';
const RPC_PORT = 8090;
const MONITOR_PORT = 9090;
const LOOPBACK = '127.0.0.1';

export const nodeName = (index: number): string => `node${index + 1}`;

interface NodePlan {
  readonly name: string;
  readonly peer: Endpoint;
  readonly rpc: string;
  readonly monitor: string;
  /** Numbers of witnesses from 0 on: 0 is init0, witness 1.6.1. */
  readonly witnesses: readonly number[];
}

/** Witnesses in turn; nodes of one machine have ports of their own. */
function plans({ nodes, witnesses }: MadeNetwork): NodePlan[] {
  const isOneMachine = nodes.every(({ host }) => host === nodes[0]?.host);
  return nodes.map((peer, i) => {
    const step = isOneMachine ? i : 0;
    return {
      name: nodeName(i),
      peer,
      rpc: `${LOOPBACK}:${RPC_PORT + step}`,
      monitor: `${LOOPBACK}:${MONITOR_PORT + step}`,
      witnesses: Array.from({ length: witnesses }, (_, w) => w).filter((w) => w % nodes.length === i),
    };
  });
}

/** The page comes last: where it is, all of it is. */
export function writeNetworkFolder(folder: string, network: MadeNetwork, keyFile: string): void {
  nodeFiles.makeFolder(folder);
  nodeFiles.writeText(join(folder, KEYS_FILE), keyFile, PRIVATE);
  const genesis = new TextDecoder().decode(network.genesis);
  for (const [i, plan] of plans(network).entries()) {
    const data = join(folder, plan.name);
    nodeFiles.makeFolder(data);
    nodeFiles.writeText(join(data, GENESIS_FILE), genesis);
    if (i === 0) {
      nodeFiles.writeText(
        join(data, FIRST_TRANSACTIONS),
        `${JSON.stringify(network.firstTransactions, null, 2)}\n`,
        PRIVATE,
      );
    }
    nodeFiles.writeText(join(data, CONFIG_FILE), configOf(network, plan, i === 0), PRIVATE);
  }
  nodeFiles.writeText(join(folder, 'README.md'), page(network));
}

function configOf(network: MadeNetwork, plan: NodePlan, isFirst: boolean): string {
  const { host, port } = plan.peer;
  const others = network.nodes.filter((one) => one !== plan.peer);
  const lines = [
    `# ${plan.name} of ${network.name}, chain ${network.chainId}.`,
    '# All options with what they mean: config.ini.example of trustnode, or trustnode start --help.',
    '',
    `rpc-endpoint = ${plan.rpc}`,
    `monitor-endpoint = ${plan.monitor}`,
  ];
  if (others.length > 0) {
    lines.push('', '# The other nodes: connected to again whenever a connection is lost.');
    lines.push(`p2p-endpoint = ${endpoint.format({ host: host === LOOPBACK ? LOOPBACK : '0.0.0.0', port })}`);
    lines.push(...others.map((one) => `p2p-peer = ${endpoint.format(one)}`));
  }
  lines.push(
    '',
    '# The witnesses whose blocks this node makes, with their signing keys. No other node may have these.',
  );
  for (const w of plan.witnesses) {
    const { key } = network.keys.find(({ name, purpose }) => name === `init${w}` && purpose === 'signing') as NamedKey;
    lines.push(`witness-id = "1.6.${w + 1}"`);
    lines.push(`private-key = ["${publicKeyToText(key.publicKey, network.prefix)}", "${key.toWif()}"]`);
  }
  if (isFirst) {
    lines.push('', '# This node makes block 1, with what is to be in it. Both mean nothing afterwards.');
    lines.push('begin-chain = true', `first-transactions = ${FIRST_TRANSACTIONS}`);
  }
  return `${lines.join('\n')}\n`;
}

function page(network: MadeNetwork): string {
  const { name, chainId, keys, prefix, symbol, accounts, blockInterval } = network;
  const all = plans(network);
  const first = all[0] as NodePlan;
  const [treasury = 'init0'] = accounts;
  const isOneNode = all.length === 1;
  const rows = all.map(
    (plan) =>
      `| \`${plan.name}\` | ${plan.witnesses.map((w) => `init${w} (1.6.${w + 1})`).join(', ')} | ${isOneNode ? 'none' : endpoint.format(plan.peer)} | ${plan.rpc} | ${plan.monitor} |`,
  );
  const owners = keys
    .filter(({ purpose }) => purpose === 'account')
    .map((one) => `| ${one.name} | \`${publicKeyToText(one.key.publicKey, prefix)}\` |`);
  return `# ${name}

Made by \`trustnode genesis create\`. Chain id: \`${chainId}\`, a block every ${blockInterval} s, core asset ${symbol} (1.3.1).

| Folder | Makes the blocks of | For other nodes | RPC and explorer | Monitor |
|---|---|---|---|---|
${rows.join('\n')}

## Start

${isOneNode ? 'The folder is the data directory of the node:' : 'Each folder is the data directory of a node. Take each to its machine as it is (they hold keys: mode 600), then start all of them, in any order:'}

\`\`\`
${all.map((plan) => `trustnode start --data-dir ${plan.name}`).join('\n')}
\`\`\`

\`${first.name}\` makes block 1${isOneNode ? ' at once' : ' ten seconds after its start, if no other node has one'}. It carries \`${FIRST_TRANSACTIONS}\`: the balances of the
genesis file go to ${accounts.length > 0 ? accounts.join(', ') : 'the witnesses'}, and ${symbol} gets the rate without which nobody is told a fee. From then on they can be spent.
${isOneNode ? `After a stop, \`kill -9\` too, the node goes on by itself.` : 'A node that comes back goes on by itself; where all were down at once, see "When machines go and come back" in docs/network.md.'}

## See that it works

\`\`\`
curl -s ${first.rpc} -d '{"id":1,"method":"get_named_account_balances","params":["${treasury}",["1.3.1"]]}'
curl -s http://${first.monitor}/readyz
\`\`\`

The explorer is http://${first.rpc}/ in a browser. To pay:

\`\`\`
trustnode wallet -s ws://${first.rpc} -w ${treasury}.wallet
new >>> set_password …
locked >>> unlock …
unlocked >>> import_key ${treasury} 5K…        (the "wif" of ${treasury} in ${KEYS_FILE})
unlocked >>> transfer2 ${treasury} init0 5 ${symbol} ""
\`\`\`

## Keys

\`${KEYS_FILE}\` has all private keys: of the accounts (owner, active and memo key are one) and of the witnesses for signing. No
node needs it; keep it away from the nodes. Each \`config.ini\` has the signing keys of its own node.

| Account | Public key |
|---|---|
${owners.join('\n')}
`;
}
