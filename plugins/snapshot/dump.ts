import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import type { Network } from '../../src/codec/type.js';
import { accountHistoryRecord, operationHistoryRecord } from '../../src/protocol/objects/chain.js';
import { type AnyObjectDeclaration, objectOf } from '../../src/protocol/objects/declare.js';
import type { HistorySource } from '../../src/rpc/history-source.js';
import type { StateObject } from '../../src/state/define.js';
import { type AccountStatisticsObject, accountStatisticsObject } from '../../src/state/objects/account-statistics.js';
import { blockSummaryObject } from '../../src/state/objects/block-summary.js';
import { OBJECTS } from '../../src/state/objects/index.js';
import type { ReadState } from '../../src/state/views.js';
import type { Selection } from './options.js';

interface Objects {
  readonly definition: AnyObjectDeclaration;
  readonly list: Iterable<Readonly<StateObject>>;
}

/** Ids of blocks that the chain remembers: all are there from the first block on. */
const SUMMARIES = 65_536;
const NO_BLOCK_ID = '00'.repeat(20);

const isWanted = (selection: Selection, { space, type }: AnyObjectDeclaration): boolean =>
  (selection.space ?? space) === space && (selection.type ?? type) === type;

/** What is wanted, valid as long as nothing changes. */
export function selectObjects(state: ReadState, history: HistorySource | undefined, selection: Selection): Objects[] {
  const { instance } = selection;
  const out: Objects[] = [];
  for (const definition of OBJECTS) {
    if (!isWanted(selection, definition)) continue;
    const all = state.all(definition) as Iterable<Readonly<StateObject>>;
    const whole = definition === blockSummaryObject ? withUnused(all) : all;
    const list = only(whole, instance);
    out.push({ definition, list: definition === accountStatisticsObject ? counted(list, history) : list });
  }
  for (const [definition, list] of historyLists(history)) {
    if (isWanted(selection, definition)) out.push({ definition, list: only(list, instance) });
  }
  return out.sort((a, b) => a.definition.space - b.definition.space || a.definition.type - b.definition.type);
}

function withUnused(used: Iterable<Readonly<StateObject>>): Readonly<StateObject>[] {
  const byId = new Map([...used].map((one) => [one.id, one]));
  return Array.from({ length: SUMMARIES }, (_, id) => byId.get(id) ?? ({ id, block_id: NO_BLOCK_ID } as StateObject));
}

function* counted(
  list: Iterable<Readonly<StateObject>>,
  history: HistorySource | undefined,
): Generator<Readonly<StateObject>> {
  for (const one of list) yield { ...one, ...history?.counts((one as AccountStatisticsObject).owner) };
}

function historyLists(history: HistorySource | undefined): [AnyObjectDeclaration, Iterable<Readonly<StateObject>>][] {
  if (history === undefined) return [];
  const { operations, entries } = history.numbers();
  return [
    [operationHistoryRecord, found(operations, (instance) => history.operation(instance))],
    [accountHistoryRecord, found(entries, (instance) => history.entry(instance))],
  ];
}

function* found<V>(end: number, find: (instance: number) => V | undefined): Generator<V> {
  for (let instance = 0; instance < end; instance++) {
    const value = find(instance);
    if (value !== undefined) yield value;
  }
}

function* only(list: Iterable<Readonly<StateObject>>, instance: number | undefined): Generator<Readonly<StateObject>> {
  for (const one of list) if (instance === undefined || one.id === instance) yield one;
}

const CHUNK_CHARS = 256 * 1024;

/** Writes beside the file and puts it in its place when it is whole. Returns the number of lines. */
export function writeObjects(path: string, objects: readonly Objects[], network: Network): number {
  const unfinished = `${path}.tmp`;
  const file = openSync(unfinished, 'w');
  try {
    const lines = writeLines(file, objects, network);
    fsyncSync(file);
    renameSync(unfinished, path);
    return lines;
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw error;
  } finally {
    closeSync(file);
  }
}

function writeLines(file: number, objects: readonly Objects[], network: Network): number {
  let lines = 0;
  let text = '';
  for (const { definition, list } of objects) {
    const type = objectOf(definition);
    for (const object of list) {
      text += `${JSON.stringify(type.toJson(object as never, network))}\n`;
      lines++;
      if (text.length < CHUNK_CHARS) continue;
      writeSync(file, text);
      text = '';
    }
  }
  writeSync(file, text);
  return lines;
}
