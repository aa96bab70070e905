import { readFileSync } from 'node:fs';
import { brotliDecompressSync } from 'node:zlib';
import type { JsonObject } from '../../../src/codec/json.js';
import { parseJson } from '../../../src/codec/json.js';
import { type SignedBlock, signedBlock } from '../../../src/protocol/block.js';
import { NETWORK } from '../../support/network.js';
import { projectPath } from '../../support/paths.js';

/** What clients of the reference were told while blocks and transactions came: see test/vectors/notices/README.md. */

export interface RecordedRequest {
  readonly conn: string;
  readonly step: number;
  readonly request: string;
  readonly response: string;
}

export interface RecordedStep {
  readonly step: number;
  readonly action: string;
  readonly height?: number;
  readonly fork?: boolean;
  readonly transaction?: JsonObject;
  readonly block?: JsonObject;
  readonly head: { readonly number: number; readonly id: string };
}

export interface RecordedNotice {
  readonly conn: string;
  readonly step: number;
  /** Absent where the row stands for the place of a reply. */
  readonly text?: string;
}

export interface Recording {
  /** The last block before the recording began. */
  readonly from: number;
  readonly requests: readonly RecordedRequest[];
  readonly steps: readonly RecordedStep[];
  readonly notices: readonly RecordedNotice[];
}

function rows(name: string): JsonObject[] {
  const packed = readFileSync(projectPath('test', 'vectors', 'notices', `${name}.jsonl.br`));
  return brotliDecompressSync(packed)
    .toString('utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => parseJson(line) as JsonObject);
}

export function recording(name: 'main' | 'fork'): Recording {
  const [requests, steps, notices] = ['requests', 'steps', 'notices'].map((part) =>
    rows(`${name}-${part}`),
  ) as unknown as [RecordedRequest[], RecordedStep[], RecordedNotice[]];
  const [setup] = steps as [RecordedStep];
  return { from: setup.head.number, requests, steps, notices };
}

/** Blocks that follow on block 785 of the recorded chain, by number. */
export function forkBlocks(): Map<number, SignedBlock> {
  return new Map(rows('fork-blocks').map((row) => [row.height as number, signedBlock.fromJson(row, NETWORK)]));
}
