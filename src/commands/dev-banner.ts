import { join } from 'node:path';
import { readForkMark } from '../node/chain/fork-mark.js';
import { type DevAccountEntry, devAccountEntries } from '../node/dev/dev-network.js';
import type { RunningNode } from '../node/node.js';
import type { Settings } from '../node/settings/options.js';
import { nodeFiles, PRIVATE } from '../storage/files.js';

const DEV_ACCOUNTS_FILE = 'dev-accounts.json';

/** For scripts: the funded accounts with their keys. */
export function writeDevAccounts(settings: Settings, node: RunningNode): void {
  const entries = devAccountEntries(node.chain.queries.state);
  nodeFiles.writeText(join(settings.dataDir, DEV_ACCOUNTS_FILE), `${JSON.stringify(entries, null, 2)}\n`, PRIVATE);
}

function accountLine({ name, id, wif, public_key, lifetime_member }: DevAccountEntry): string {
  const role = lifetime_member ? '  (lifetime member)' : '';
  return `    ${name.padEnd(6)} ${id}${role}\n      public key   ${public_key}\n      private key  ${wif}\n`;
}

function paceText(blockMs: number | undefined): string {
  if (blockMs === undefined) return 'a block every 3 seconds';
  return blockMs === 0 ? 'a block with each transaction' : `a block every ${blockMs} ms`;
}

/** What a newcomer needs to know, on the standard output. */
export function devBanner(settings: Settings, node: RunningNode): string {
  const rpc = node.endpoints.plain;
  const fork = settings.options['fork-snapshot'] === undefined ? undefined : readForkMark(settings.dataDir);
  const lines = [
    '',
    ...(fork === undefined
      ? [`  The development network is running: one node, ${paceText(settings.options['dev-block-ms'])}.`]
      : [
          `  A fork of a chain is running, from its block ${fork.block} on: one node, all witnesses, no peers.`,
          '  It has the chain id of the real one: what is signed for it may be valid there as well. Sign with keys',
          '  of the fork alone; dev_impersonate acts for everybody else.',
        ]),
    '',
    `  chain id   ${node.chainId}`,
    `  data       ${settings.dataDir}`,
  ];
  if (rpc !== undefined) lines.push(`  RPC        http://${rpc}  and  ws://${rpc}`, `  web page   http://${rpc}/`);
  lines.push('', '  Funded accounts, keys known to everybody, never use them elsewhere:', '');
  let text = `${lines.join('\n')}\n`;
  for (const entry of devAccountEntries(node.chain.queries.state)) text += accountLine(entry);
  text += `    Also in ${join(settings.dataDir, DEV_ACCOUNTS_FILE)}\n`;
  if (rpc !== undefined) {
    const request = '{"jsonrpc":"2.0","id":1,"method":"get_dynamic_global_properties","params":[]}';
    text += `\n  Try:\n    curl -s http://${rpc}/rpc -d '${request}'\n`;
  }
  return `${text}\n  Ctrl-C stops it; the next start goes on where it was.\n\n`;
}
