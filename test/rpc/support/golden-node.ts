import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { Chain, emptyState } from '../../../src/chain/chain.js';
import { readGenesis } from '../../../src/chain/genesis-source.js';
import { MemoryBlockStore } from '../../../src/chain/memory-block-store.js';
import { BlockFacts } from '../../../src/chain/verified.js';
import { type JsonObject, parseJson } from '../../../src/codec/json.js';
import '../../../src/operations/index.js';
import { signedBlock } from '../../../src/protocol/block.js';
import { parseObjectId } from '../../../src/protocol/ids.js';
import type { StateObject } from '../../../src/state/define.js';
import { OBJECTS } from '../../../src/state/objects/index.js';
import { chainContractEngine } from '../../../src/vm/chain-engine.js';
import { contractKeys } from '../../../src/vm/keys.js';
import { projectPath } from '../../support/paths.js';

const FOLDER = 'test/vectors/golden/main';
const FINAL_HEIGHT = 792;

export function goldenLines(file: string): string[] {
  return gunzipSync(readFileSync(projectPath(`${FOLDER}/${file}`)))
    .toString('utf8')
    .split('\n')
    .filter((line) => line !== '');
}

/** The recorded chain at its final height: its blocks, and the state that the reference node had then. */
export function goldenChain(): Chain {
  const genesis = readGenesis(readFileSync(projectPath(`${FOLDER}/genesis.json`)));
  const state = emptyState(genesis);
  for (const line of goldenLines(`state-${FINAL_HEIGHT}.jsonl.gz`)) {
    const object = parseJson(line) as JsonObject;
    const { space, type, instance } = parseObjectId(object.id as string);
    const definition = OBJECTS.find((one) => one.space === space && one.type === type);
    if (definition === undefined) continue;
    state.load(definition, instance, definition.schema.fromJson(object) as Omit<StateObject, 'id'>);
    state.setCounter(definition, instance + 1);
  }
  state.finishLoading();
  const blocks = new MemoryBlockStore();
  for (const line of goldenLines('blocks.jsonl.gz'))
    blocks.append(new BlockFacts(signedBlock.fromJson(parseJson(line))));
  const engine = chainContractEngine(contractKeys());
  return new Chain({ genesis, engine, blocks, state });
}
