import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import type { Json, JsonObject } from '../../src/codec/json.js';
import { projectPath } from './paths.js';
import { readVectors } from './vectors.js';

/** What the reference's wallet has recorded: see test/vectors/wallet/README.md. */

export const walletVector = (...parts: readonly string[]): string => projectPath('test', 'vectors', 'wallet', ...parts);

export interface RecordedFile {
  readonly file: string;
  readonly password: string;
  readonly dump_private_keys: readonly (readonly [string, string])[];
}

export function recordedFiles(): readonly RecordedFile[] {
  return readVectors<RecordedFile[]>('wallet/files.json');
}

export interface RecordedCall {
  readonly seq: number;
  readonly part: string;
  /** Seconds since 1970 by the clock of the machine. */
  readonly at: number;
  readonly via: 'http' | 'prompt' | 'prompt-keys' | 'start' | 'end';
  readonly locked_before?: boolean;
  readonly request?: { readonly method: string; readonly params: readonly Json[] };
  readonly result?: Json;
  readonly error?: RecordedError;
  readonly line?: string;
  readonly text?: string;
  readonly prompt_before?: string;
  readonly prompt_after?: string;
}

export interface RecordedError {
  readonly message: string;
  readonly data: {
    readonly code: number;
    readonly name: string;
    readonly message: string;
    readonly stack: readonly { readonly format: string; readonly data: JsonObject }[];
  };
}

export function recordedCalls(): readonly RecordedCall[] {
  const lines = gunzipSync(readFileSync(walletVector('sessions.jsonl.gz')))
    .toString('utf8')
    .split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as RecordedCall);
}
