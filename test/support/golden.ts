import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { type GenesisSource, readGenesis } from '../../src/chain/genesis-source.js';
import type { Json, JsonObject } from '../../src/codec/json.js';
import { parseJson } from '../../src/codec/json.js';
import { type SignedBlock, signedBlock } from '../../src/protocol/block.js';
import type { ChainState } from '../../src/state/chain-state.js';
import { idText } from '../../src/state/define.js';
import { OBJECTS } from '../../src/state/objects/index.js';
import { NETWORK } from './network.js';
import { projectPath } from './paths.js';

/** The chain that the reference node has recorded: see test/vectors/golden/main/README.md. */

const file = (name: string): string => projectPath('test', 'vectors', 'golden', 'main', name);

function* lines(name: string): Generator<string> {
  const text = gunzipSync(readFileSync(file(name))).toString('utf8');
  for (const line of text.split('\n')) if (line !== '') yield line;
}

export const GOLDEN_HEIGHTS = [60, 192, 288, 391, 493, 792] as const;
export const GOLDEN_LAST = 792;

/** The node that recorded it kept data transactions for ever. */
export function goldenGenesis(): GenesisSource {
  const source = readGenesis(readFileSync(file('genesis.json')));
  return { ...source, network: { ...source.network, dataTransactionLifetimeHours: 0 } };
}

export function* goldenBlocks(): Generator<SignedBlock> {
  for (const line of lines('blocks.jsonl.gz')) yield signedBlock.fromJson(parseJson(line), NETWORK);
}

/** Objects at a height by id, as the node's RPC shows them. */
export function goldenState(height: (typeof GOLDEN_HEIGHTS)[number]): Map<string, JsonObject> {
  const objects = new Map<string, JsonObject>();
  for (const line of lines(`state-${height}.jsonl.gz`)) {
    const object = parseJson(line) as JsonObject;
    objects.set(object.id as string, object);
  }
  return objects;
}

export interface RejectedCase {
  readonly label: string;
  readonly head_block_number: number;
  readonly pending?: readonly string[];
  readonly transaction?: Json;
  readonly block?: Json;
  readonly error: { readonly message: string; readonly data: { readonly code: number; readonly name: string } };
}

export function* goldenRejected(): Generator<RejectedCase> {
  for (const line of lines('rejected.jsonl.gz')) yield parseJson(line) as unknown as RejectedCase;
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

/** Field by field; an empty list says that the states are equal. */
export function compareStates(expected: Map<string, JsonObject>, actual: Map<string, JsonObject>): Difference[] {
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
    if (expected.has(id)) continue;
    const isUnusedSummary = id.startsWith('2.8.') && /^0*$/.test(found.block_id as string);
    if (!isUnusedSummary) differences.push({ id, field: '', expected: 'absent', actual: 'present' });
  }
  return differences;
}
