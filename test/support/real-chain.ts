import { join } from 'node:path';
import { readObjectUpdate } from '../../src/chain/debug-updates.js';
import { assetOptions } from '../../src/protocol/asset.js';
import { accountObject } from '../../src/state/objects/account.js';
import { assetObject } from '../../src/state/objects/asset.js';
import { assetDynamicDataObject } from '../../src/state/objects/asset-dynamic-data.js';
import { balanceOf } from '../../src/state/rules/balances.js';
import { commandLine } from './command-line.js';
import { type DevNode, startDevNode } from './dev-node.js';
import { rpcCall } from './rpc-call.js';
import { type SupplySnapshot, supplySnapshot } from './supply.js';

/** A chain that is no development chain: made by `trustnode genesis create`, with three witnesses and one rich account. */

export interface RealChain {
  readonly chainId: string;
  readonly genesis: string;
  /** Packed snapshots, the one of the later block last. */
  readonly files: readonly [string, string];
  /** The folder that the later one was packed of. */
  readonly unpacked: string;
  readonly blocks: readonly [number, number];
  /** What the treasury has of the core asset. */
  readonly treasury: bigint;
  readonly supply: SupplySnapshot;
}

async function run(words: readonly string[]): Promise<void> {
  const { code, stderr } = await commandLine(words);
  if (code !== 0) throw new Error(stderr);
}

/** There are as many coins as there may be: none can be added without more being allowed. */
function capSupply({ node: { chain } }: DevNode): void {
  const { state } = chain.queries;
  const { id, options, dynamic_asset_data_id } = state.get(assetObject, state.coreAsset);
  const { current_supply } = state.get(assetDynamicDataObject, dynamic_asset_data_id);
  const capped = assetOptions.toJson({ ...options, max_supply: current_supply });
  chain.debug.amendHead(readObjectUpdate({ id: `1.3.${id}`, _action: 'update', options: capped }));
}

/** Runs the chain for a while, and packs two snapshots of it. */
export async function realChain(folder: string): Promise<RealChain> {
  const network = join(folder, 'network');
  await run(['genesis', 'create', network, '--witnesses', '3', '--account', 'treasury', '--seed', 'real']);
  const dataDir = join(network, 'node1');
  const dev = await startDevNode(network, {
    dev: 'false',
    'data-dir': dataDir,
    'monitor-endpoint': '127.0.0.1:0',
    'state-snapshots-dir': join(folder, 'snapshots'),
  });
  const { node, clock } = dev;
  const packed = async (name: string) => {
    clock.advance(90_000);
    const { plain } = node.endpoints;
    const made = await rpcCall<{ head_block_num: number; snapshot_dir: string }>(plain, 'create_snapshot', []);
    const file = join(folder, name);
    await run(['snapshot', 'pack', made.snapshot_dir, file, '--data-dir', dataDir]);
    return { file, block: made.head_block_num, folder: made.snapshot_dir };
  };
  try {
    // Whoever signs for all witnesses waits for ten seconds before block 1.
    clock.advance(30_000);
    capSupply(dev);
    const one = await packed('one.snapshot');
    const two = await packed('two.snapshot');
    const { state } = node.chain.queries;
    const treasury = state.findBy(accountObject.by.name, 'treasury')?.id ?? -1;
    return {
      chainId: node.chainId,
      genesis: join(dataDir, 'genesis.json'),
      files: [one.file, two.file],
      unpacked: two.folder,
      blocks: [one.block, two.block],
      treasury: balanceOf(state, treasury, state.coreAsset),
      supply: node.chain.snapshots.withHeadState(supplySnapshot),
    };
  } finally {
    await node.stop();
  }
}
