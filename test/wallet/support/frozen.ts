import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AccountHistory } from '../../../plugins/account_history/history.js';
import { historyApi } from '../../../plugins/account_history/methods.js';
import { historySource } from '../../../plugins/account_history/source.js';
import { Chain } from '../../../src/chain/chain.js';
import { type GenesisSource, readGenesis } from '../../../src/chain/genesis-source.js';
import { MemoryBlockStore } from '../../../src/chain/memory-block-store.js';
import type { Json, JsonObject } from '../../../src/codec/json.js';
import type { ApiDef } from '../../../src/rpc/define.js';
import type { RpcPorts } from '../../../src/rpc/ports.js';
import { FollowedChain } from '../../support/followed-chain.js';
import { emptyStore } from '../../support/plugin-store.js';
import '../../../src/operations/index.js';
import { RpcError } from '../../../src/client/connection.js';
import { chainRules } from '../../../src/commands/wallet/rules.js';
import { resolveOptions } from '../../../src/config/load.js';
import { systemRandom } from '../../../src/node/runtime/random.js';
import { rpcOptions } from '../../../src/rpc/serving/options.js';
import { type RunningRpc, serveRpc } from '../../../src/rpc/serving/serve.js';
import { askOver, type NodeLink, nodeError } from '../../../src/wallet/node-link.js';
import { Wallet } from '../../../src/wallet/wallet.js';
import { askable, EVERY_API, goldenPorts } from '../../rpc/support/golden-rpc.js';
import { testEngine } from '../../support/engine.js';
import { FakeClock } from '../../support/fake-clock.js';
import { recordedBlocks } from '../../support/golden.js';
import { MemoryLog } from '../../support/memory-log.js';
import { NETWORK } from '../../support/network.js';
import { walletVector } from '../../support/wallet-vectors.js';

/** The recorded chain of the wallet's sessions, frozen at its last block, and a wallet that talks to it. */

function recordedGenesis(): GenesisSource {
  const source = readGenesis(readFileSync(walletVector('genesis.json')));
  return { ...source, network: { ...source.network, dataTransactionLifetimeHours: 0 } };
}

/** Before its first block. */
export function recordedBeginning(): Chain {
  return new Chain({ genesis: recordedGenesis(), engine: testEngine(), blocks: new MemoryBlockStore() });
}

export function pushRecorded(chain: Chain): void {
  for (const block of recordedBlocks(walletVector('blocks.jsonl.gz'))) chain.blocks.push({ block });
}

export function recordedChain(): Chain {
  const chain = recordedBeginning();
  pushRecorded(chain);
  return chain;
}

/** The node's own RPC, in this process. */
function linkToPorts(ports: RpcPorts, apis: readonly ApiDef[] = []): NodeLink {
  const rpc = askable(ports, {}, apis);
  let id = 0;
  const connection = {
    request: async (method: string, params: Json[]): Promise<Json> => {
      const reply = await rpc.ask('http', JSON.stringify({ id: ++id, method, params }));
      const document = JSON.parse(String(reply)) as JsonObject;
      if (document.error !== undefined) throw new RpcError(document.error as JsonObject);
      return document.result ?? null;
    },
  };
  return {
    call: async (api, method, params) => {
      try {
        return await askOver(connection, api, method, params);
      } catch (error) {
        throw nodeError(error);
      }
    },
  };
}

export const linkTo = (chain: Chain): NodeLink => linkToPorts(goldenPorts(chain));

export interface RecordedHistory {
  readonly link: NodeLink;
  /** Answers over WebSockets from now on, as a node does; the URL to reach it. */
  serve(): Promise<string>;
  close(): Promise<void>;
}

/** The same chain with histories of accounts, as the recorded node kept them. */
export async function recordedHistory(): Promise<RecordedHistory> {
  const chain = await FollowedChain.open(recordedGenesis());
  const options = { accounts: undefined, operationsMax: 1000, isPartial: true };
  const { chain: core } = chain.stored;
  const history = new AccountHistory(emptyStore(), options);
  const added = chain.host.add(history);
  chain.push([...recordedBlocks(walletVector('blocks.jsonl.gz'))]);
  await added.caughtUp();
  const current = (): AccountHistory => {
    if (!added.hurry()) throw new Error('the history is not at the head');
    return history;
  };
  const ports = { ...goldenPorts(core), history: historySource(current) };
  const apis = [historyApi(current)];
  let running: RunningRpc | undefined;
  return {
    link: linkToPorts(ports, apis),
    serve: async () => {
      const options = resolveOptions(rpcOptions, new Map([['rpc-endpoint', ['127.0.0.1:0']]]), new Map());
      running = await serveRpc(options, { node: ports, apis, openApis: EVERY_API });
      return `ws://${running.plain}`;
    },
    close: async () => {
      await running?.close();
      await chain.close();
    },
  };
}

export interface FrozenWallet {
  readonly wallet: Wallet;
  readonly clock: FakeClock;
  readonly log: MemoryLog;
  readonly folder: string;
  remove(): void;
}

export async function openRecorded(file: string, link: NodeLink, nowMs = 0): Promise<FrozenWallet> {
  const folder = mkdtempSync(join(tmpdir(), 'wallet-'));
  const path = join(folder, 'wallet.json');
  copyFileSync(walletVector('files', file), path);
  const clock = new FakeClock(nowMs);
  const log = new MemoryLog();
  const chainId = (JSON.parse(readFileSync(walletVector('chain.json'), 'utf8')) as { chain_id: string }).chain_id;
  const wallet = await Wallet.open(
    { program: 'trustnode test', network: NETWORK, node: link, clock, random: systemRandom, log, rules: chainRules },
    path,
    chainId,
  );
  return { wallet, clock, log, folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
