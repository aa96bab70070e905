import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import type { JsonObject } from '../../../../src/codec/json.js';
import { projectPath } from '../../../support/paths.js';

export interface RecordedDocument {
  readonly _index: string;
  readonly _id: string;
  readonly doc: JsonObject;
}

/** What the reference node has written of blocks 1 to 792 of the golden chain, in the order of ids. */
export function recordedDocuments(style: 'object' | 'text'): RecordedDocument[] {
  const name = style === 'object' ? 'documents.jsonl.gz' : 'documents-operation-string.jsonl.gz';
  const text = gunzipSync(readFileSync(projectPath('test', 'vectors', 'plugins', 'search', name))).toString('utf8');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as RecordedDocument);
}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Without the counter of the reference's process. */
export function comparable(document: JsonObject): string {
  const { virtual_op: _, ...rest } = document.operation_history as JsonObject;
  return JSON.stringify({ ...document, operation_history: rest });
}

/** Without the `amount` that ours keeps in assets beside `amount_str`. */
export function withoutAdded(value: JsonObject): JsonObject {
  const { asset_id: asset, amount_str: text } = value;
  const entries = Object.entries(value)
    .filter(([name]) => !(name === 'amount' && asset !== undefined && text !== undefined))
    .map(([name, member]) => [name, isObject(member) ? withoutAdded(member) : member] as const);
  return Object.fromEntries(entries);
}
