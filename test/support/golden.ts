import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import type { Chain } from '../../src/chain/chain.js';
import { type GenesisSource, readGenesis } from '../../src/chain/genesis-source.js';
import type { Json, JsonObject } from '../../src/codec/json.js';
import { parseJson } from '../../src/codec/json.js';
import { type SignedBlock, signedBlock } from '../../src/protocol/block.js';
import { operation } from '../../src/protocol/operation-slot.js';
import { operationResult } from '../../src/protocol/results.js';
import type { ChainState } from '../../src/state/chain-state.js';
import { idText } from '../../src/state/define.js';
import { OBJECTS } from '../../src/state/objects/index.js';
import { NETWORK } from './network.js';
import { projectPath } from './paths.js';

/** The chain that the reference node has recorded: see test/vectors/golden/main/README.md. */

const file = (name: string): string => projectPath('test', 'vectors', 'golden', 'main', name);

function* lines(path: string): Generator<string> {
  const text = gunzipSync(readFileSync(path)).toString('utf8');
  for (const line of text.split('\n')) if (line !== '') yield line;
}

/** Blocks as the RPC shows them, one a line. */
export function* recordedBlocks(path: string): Generator<SignedBlock> {
  for (const line of lines(path)) yield signedBlock.fromJson(parseJson(line), NETWORK);
}

/** Objects by id, as the node's RPC shows them. */
export function recordedObjects(path: string): Map<string, JsonObject> {
  const objects = new Map<string, JsonObject>();
  for (const line of lines(path)) {
    const object = parseJson(line) as JsonObject;
    objects.set(object.id as string, object);
  }
  return objects;
}

export const GOLDEN_HEIGHTS = [60, 192, 288, 391, 493, 792] as const;
export const GOLDEN_LAST = 792;

/** The node that recorded it kept data transactions for ever. */
export function goldenGenesis(): GenesisSource {
  const source = readGenesis(readFileSync(file('genesis.json')));
  return { ...source, network: { ...source.network, dataTransactionLifetimeHours: 0 } };
}

export function goldenBlocks(): Generator<SignedBlock> {
  return recordedBlocks(file('blocks.jsonl.gz'));
}

/** Objects at a height. */
export function goldenState(height: (typeof GOLDEN_HEIGHTS)[number]): Map<string, JsonObject> {
  return recordedObjects(file(`state-${height}.jsonl.gz`));
}

export interface RejectedCase {
  readonly label: string;
  readonly head_block_number: number;
  readonly pending?: readonly string[];
  readonly transaction?: Json;
  readonly block?: Json;
  readonly error: {
    readonly message: string;
    readonly data: { readonly code: number; readonly name: string; readonly stack: readonly JsonObject[] };
  };
}

export function* goldenRejected(): Generator<RejectedCase> {
  for (const line of lines(file('rejected.jsonl.gz'))) yield parseJson(line) as unknown as RejectedCase;
}

/** History belongs to a plugin; so do these fields of the account statistics. */
const HISTORY_TYPES = ['1.11.', '2.9.'];
const HISTORY_FIELDS = ['most_recent_op', 'total_ops', 'removed_ops'];

function withoutHistory(id: string, object: JsonObject): JsonObject {
  if (!id.startsWith('2.6.')) return object;
  return Object.fromEntries(Object.entries(object).filter(([field]) => !HISTORY_FIELDS.includes(field)));
}

export interface Difference {
  readonly id: string;
  readonly field: string;
  readonly expected: unknown;
  readonly actual: unknown;
}

/** All objects of the state as RPC JSON, by id; block summaries that were never written are left out. */
export function stateAsJson(state: ChainState): Map<string, JsonObject> {
  const objects = new Map<string, JsonObject>();
  for (const definition of OBJECTS) {
    for (const object of state.all(definition)) {
      const id = idText(definition, object.id);
      objects.set(id, { id, ...(definition.schema.toJson(object as never, NETWORK) as JsonObject) });
    }
  }
  return objects;
}

/** Field by field; an empty list says that the states are equal. `unknown`: types that were not recorded. */
export function compareStates(
  expected: Map<string, JsonObject>,
  actual: Map<string, JsonObject>,
  unknown: readonly string[] = [],
): Difference[] {
  const differences: Difference[] = [];
  for (const [id, wanted] of expected) {
    if (HISTORY_TYPES.some((type) => id.startsWith(type))) continue;
    const found = actual.get(id);
    if (found === undefined) {
      differences.push({ id, field: '', expected: 'present', actual: 'absent' });
      continue;
    }
    const [a, b] = [withoutHistory(id, wanted), withoutHistory(id, found)];
    const fields = new Set([...Object.keys(a), ...Object.keys(b)]);
    for (const field of fields) {
      if (JSON.stringify(a[field]) !== JSON.stringify(b[field])) {
        differences.push({ id, field, expected: a[field], actual: b[field] });
      }
    }
    if (Object.keys(a).join() !== Object.keys(b).join() && Object.keys(a).length === Object.keys(b).length) {
      differences.push({ id, field: '(order)', expected: Object.keys(a), actual: Object.keys(b) });
    }
  }
  for (const [id, found] of actual) {
    if (expected.has(id) || unknown.some((type) => id.startsWith(type))) continue;
    const isUnusedSummary = id.startsWith('2.8.') && /^0*$/.test(found.block_id as string);
    if (!isUnusedSummary) differences.push({ id, field: '', expected: 'absent', actual: 'present' });
  }
  return differences;
}

/** Operations in the form of history objects, as listeners are told of them from now on. */
export function toldOperations(chain: Chain): JsonObject[] {
  const told: JsonObject[] = [];
  chain.blocks.subscribe((event) => {
    if (event.kind !== 'applied') return;
    for (const one of event.operations) {
      told.push({
        op: operation.toJson(one.operation, NETWORK),
        result: operationResult.toJson(one.result),
        block_num: event.block.number,
        trx_in_block: one.transaction,
        op_in_trx: one.index,
      });
    }
  });
  return told;
}

const TOLD_FIELDS = ['op', 'result', 'block_num', 'trx_in_block', 'op_in_trx'];

/** What is not as the recorded history has it; empty if it is the same, in the same order. */
export function compareHistory(expected: Map<string, JsonObject>, told: readonly JsonObject[]): Difference[] {
  const history = [...expected].filter(([id]) => id.startsWith('1.11.'));
  const differences: Difference[] = [];
  if (history.length !== told.length) {
    differences.push({ id: '1.11', field: 'count', expected: history.length, actual: told.length });
  }
  history.forEach(([id, wanted], i) => {
    for (const field of TOLD_FIELDS) {
      const actual = told[i]?.[field];
      if (JSON.stringify(actual) !== JSON.stringify(wanted[field])) {
        differences.push({ id, field, expected: wanted[field], actual });
      }
    }
  });
  return differences;
}
