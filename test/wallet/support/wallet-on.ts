import { join } from 'node:path';
import type { Json } from '../../../src/codec/json.js';
import { chainRules } from '../../../src/commands/wallet/rules.js';
import { systemRandom } from '../../../src/node/runtime/random.js';
import { runCommand } from '../../../src/wallet/commands/index.js';
import { NodeSession } from '../../../src/wallet/node-session.js';
import { runLine } from '../../../src/wallet/prompt-line.js';
import { Wallet } from '../../../src/wallet/wallet.js';
import type { DevNode } from '../../support/dev-node.js';
import { MemoryLog } from '../../support/memory-log.js';

/** A wallet in this process that talks to a development node over a WebSocket, on the node's clock. */

export interface WalletOn {
  readonly wallet: Wallet;
  readonly log: MemoryLog;
  run<T = Json>(name: string, ...params: Json[]): Promise<T>;
  /** What the prompt prints for a line. */
  type(line: string): Promise<string>;
  close(): Promise<void>;
}

export const PASSWORD = 'secret';

/** Unlocked, with these accounts and their keys. */
export async function walletOn(
  dev: DevNode,
  folder: string,
  name: string,
  keys: Readonly<Record<string, string>>,
): Promise<WalletOn> {
  const log = new MemoryLog();
  const node = new NodeSession({ url: `ws://${dev.node.endpoints.plain}`, user: '', password: '' }, log);
  const world = {
    program: 'trustnode test',
    network: await node.network(),
    node,
    clock: dev.clock,
    random: systemRandom,
    log,
    rules: chainRules,
  };
  const wallet = await Wallet.open(world, join(folder, `${name}.json`), await node.chainId());
  wallet.ring.setPassword(PASSWORD);
  wallet.ring.unlock(PASSWORD);
  for (const [account, wif] of Object.entries(keys)) await wallet.importKey(account, wif);
  return {
    wallet,
    log,
    run: async <T>(command: string, ...params: Json[]) => (await runCommand(wallet, command, params)).result as T,
    type: async (line) => (await runLine(wallet, line)).output,
    close: () => node.close(),
  };
}
