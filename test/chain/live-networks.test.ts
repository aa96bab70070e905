import { readFileSync } from 'node:fs';
import t, { type Test } from 'tap';
import '../../src/operations/index.js';
import { Chain } from '../../src/chain/chain.js';
import { readGenesis } from '../../src/chain/genesis-source.js';
import { HEADER_ERRORS } from '../../src/chain/header.js';
import { MemoryBlockStore } from '../../src/chain/memory-block-store.js';
import type { JsonObject } from '../../src/codec/json.js';
import { signedBlock } from '../../src/protocol/block.js';
import { accountObject } from '../../src/state/objects/account.js';
import { assetObject } from '../../src/state/objects/asset.js';
import { assetDynamicDataObject } from '../../src/state/objects/asset-dynamic-data.js';
import { witnessObject } from '../../src/state/objects/witness.js';
import { stateHash } from '../../src/state/state-hash.js';
import { testEngine } from '../support/engine.js';
import { NETWORK } from '../support/network.js';
import { projectPath } from '../support/paths.js';
import { refused } from '../support/refused.js';

/** The genesis files of the live networks, and the first block that the public documentation prints of one of them. */

function begin(t: Test, network: 'mainnet' | 'testnet'): Chain {
  const genesis = readGenesis(readFileSync(projectPath('genesis', `${network}.json`)));
  t.equal(genesis.network.name, network, 'known by its id');
  t.equal(genesis.network.decoder, 'old', 'its witnesses run the published binaries');
  return new Chain({ genesis, engine: testEngine(), blocks: new MemoryBlockStore() });
}

const STATE_HASHES = { mainnet: 'db4c83b8', testnet: 'e134daa6' } as const;

for (const network of ['mainnet', 'testnet'] as const) {
  t.test(`what ${network} begins with`, async (t) => {
    const { queries, snapshots } = begin(t, network);
    const count = (type: Parameters<typeof queries.state.all>[0]) => [...queries.state.all(type)].length;
    t.equal([...queries.state.all(witnessObject)].length, 11);
    t.notOk(queries.state.find(assetObject, 1), 'asset 1.3.1 does not exist at the start');
    const supply = queries.state.get(assetDynamicDataObject, 0).current_supply;
    t.equal(supply, 1_000_000_000_000n * 10n ** 5n, 'in smallest units');
    t.ok(count(accountObject) >= 18);
    t.equal(snapshots.withHeadState(stateHash).slice(0, 8), STATE_HASHES[network]);
  });
}

t.test('the first block of the test network', async (t) => {
  const json = (): JsonObject =>
    JSON.parse(readFileSync(projectPath('test', 'vectors', 'networks', 'testnet-block-1.json'), 'utf8')) as JsonObject;
  const chain = begin(t, 'testnet');
  const before = chain.snapshots.withHeadState(stateHash);
  refused(t, HEADER_ERRORS.block_signature, () =>
    chain.blocks.push({ block: signedBlock.fromJson({ ...json(), witness: '1.6.5' }, NETWORK) }),
  );
  t.equal(chain.snapshots.withHeadState(stateHash), before, 'a block of another witness changes nothing');
  chain.blocks.push({ block: signedBlock.fromJson(json(), NETWORK) });
  t.equal(chain.queries.head.id, '000000010d6e163620e7a0c1144ef68e55b29607');
});
