import { Chain } from '../../chain/chain.js';
import type { GenesisSource } from '../../chain/genesis-source.js';
import { MemoryBlockStore } from '../../chain/memory-block-store.js';
import { timeToText } from '../../codec/time.js';
import { MAINNET_FORKS } from '../../protocol/forks.js';
import { formatObjectId } from '../../protocol/ids.js';
import { accountObject } from '../../state/objects/account.js';
import { assetObject } from '../../state/objects/asset.js';
import { assetDynamicDataObject } from '../../state/objects/asset-dynamic-data.js';
import { balanceObject } from '../../state/objects/balance.js';
import { committeeMemberObject } from '../../state/objects/committee-member.js';
import { globalPropertyObject } from '../../state/objects/global-property.js';
import { witnessObject } from '../../state/objects/witness.js';
import { amountText } from '../../state/rules/pretty.js';
import { stateHash } from '../../state/state-hash.js';
import { chainContractEngine } from '../../vm/chain-engine.js';
import { contractKeys } from '../../vm/keys.js';
import type { Terminal } from '../terminal.js';

export type GenesisFacts = Readonly<Record<string, unknown>>;

/** Begins the chain in memory, which is the only full check, and says what came of it. */
export function describeGenesis(genesis: GenesisSource): GenesisFacts {
  const chain = new Chain({
    genesis,
    engine: chainContractEngine(contractKeys(genesis.network)),
    blocks: new MemoryBlockStore(),
  });
  return chain.snapshots.withHeadState((state) => {
    const { active_witnesses } = state.single(globalPropertyObject);
    const supply = [...state.all(assetObject)].map((asset) => {
      const { current_supply } = state.get(assetDynamicDataObject, asset.dynamic_asset_data_id);
      const amount = amountText(current_supply, asset.precision);
      return `${formatObjectId(1, 3, asset.id)} ${asset.symbol} ${amount}`;
    });
    return {
      network: genesis.network.name,
      chain_id: genesis.chainId,
      time: timeToText(genesis.file.initial_timestamp),
      accounts: state.count(accountObject),
      assets: state.count(assetObject),
      balances: state.count(balanceObject),
      witnesses: state.count(witnessObject),
      active_witnesses: active_witnesses.length,
      committee_members: state.count(committeeMemberObject),
      block_interval: genesis.file.initial_parameters.block_interval,
      total_supply: supply,
      state_hash: stateHash(state),
      notes: notes(genesis, state.findBy(accountObject.by.name, 'ram-account') !== undefined),
    };
  });
}

/** Legal, but hardly meant. */
function notes({ file, network }: GenesisSource, hasRamAccount: boolean): string[] {
  const out: string[] = [];
  const isMainRules = network.forks === MAINNET_FORKS;
  if (file.initial_timestamp > network.forks.HF_1008) {
    out.push('initial_timestamp lies after fork 1008: nodes of the reference cannot begin this chain');
  }
  if (!isMainRules) out.push('fork times differ from the main network: nodes of the reference cannot join this chain');
  if (file.initial_assets.length === 0) {
    out.push('initial_assets is empty: asset 1.3.1 must be created in block 1, or the chain stops at fork 1008');
  }
  if (!hasRamAccount) out.push('there is no ram-account: contract calls will fail');
  return out;
}

export function printFacts(terminal: Terminal, facts: GenesisFacts, asJson: boolean): void {
  if (asJson) {
    terminal.out(`${JSON.stringify(facts)}\n`);
    return;
  }
  const width = Math.max(...Object.keys(facts).map((name) => name.length)) + 2;
  for (const [name, value] of Object.entries(facts)) {
    const lines = Array.isArray(value) ? value : [value];
    for (const [i, line] of lines.entries()) {
      terminal.out(`${(i === 0 ? `${name}:` : '').padEnd(width)}${String(line)}\n`);
    }
  }
}
