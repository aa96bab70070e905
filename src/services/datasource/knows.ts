import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ChainError, check } from '../../base/errors.js';
import { LIMITS } from '../../base/limits.js';
import { type Json, parseJson } from '../../codec/json.js';
import { writeJson } from '../../trade/json.js';
import type { Knows } from './answerer.js';
import { DATASOURCE_ERRORS } from './errors.js';
import type { DatasourceOptions } from './options.js';

/** The seller's own program, which knows the data. */

type Limits = Pick<DatasourceOptions, 'ask-bytes-max'>;

/** The exchange has a limit as well, and tells nobody who goes beyond it. */
const tooLarge = (bytesMax: number): Error => new Error(`the answer has more than ${bytesMax} bytes`);

/** A text of at most so many bytes, after whatever packing it came in. */
async function textOf(response: Response, bytesMax: number): Promise<string> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of response.body ?? []) {
    bytes += piece.length;
    // Leaving the loop ends the connection.
    if (bytes > bytesMax) throw tooLarge(bytesMax);
    pieces.push(piece);
  }
  return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(pieces));
}

function jsonOf(text: string): Json {
  try {
    return parseJson(text);
  } catch (error) {
    // Whoever asked has sent nothing wrong.
    throw new Error(`the answer is no JSON: ${(error as Error).message}`);
  }
}

/** Over HTTP: 200 with JSON, or 204, 404 or null for nothing. Nobody is sent elsewhere with what buyers have asked. */
export function knownByUrl(url: string, { 'ask-bytes-max': bytesMax }: Limits): Knows {
  return async (wanted, signal) => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: writeJson({ ...wanted }),
      signal,
      redirect: 'error',
    });
    if (response.status !== 200) {
      await response.body?.cancel();
      if (response.status === 204 || response.status === 404) return undefined;
      throw new Error(`${url} answers with status ${response.status}`);
    }
    return jsonOf(await textOf(response, bytesMax)) ?? undefined;
  };
}

/** What JSON has no word for is not sold as something else, and what no buyer can read is not sold: it is an error of the module. */
function jsonOfValue(value: unknown, where = 'the answer', depth = 0): Json {
  const refuse = (what: string): never => {
    throw new Error(`${where} is ${what}, which JSON has no word for`);
  };
  if (depth >= LIMITS.json_depth_max) {
    throw new Error(`the answer is nested deeper than ${LIMITS.json_depth_max} levels, which buyers do not read`);
  }
  if (value === null || typeof value === 'string' || typeof value === 'boolean' || typeof value === 'bigint')
    return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : refuse(String(value));
  if (typeof value !== 'object') return refuse(`a ${typeof value}`);
  const { toJSON } = value as { readonly toJSON?: unknown };
  if (typeof toJSON === 'function') return jsonOfValue(toJSON.call(value), where, depth + 1);
  if (Array.isArray(value)) return value.map((item, i) => jsonOfValue(item ?? null, `${where}[${i}]`, depth + 1));
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  const name = Object.getPrototypeOf(value)?.constructor?.name ?? 'Object';
  if (members.length === 0 && name !== 'Object') return refuse(`a ${name}`);
  return Object.fromEntries(members.map(([key, member]) => [key, jsonOfValue(member, `${where}.${key}`, depth + 1)]));
}

/** As a module in this process. */
async function knownByModule(file: string, { 'ask-bytes-max': bytesMax }: Limits): Promise<Knows> {
  let loaded: { readonly default?: unknown };
  try {
    loaded = (await import(pathToFileURL(resolve(file)).href)) as { readonly default?: unknown };
  } catch (error) {
    throw new ChainError(DATASOURCE_ERRORS.datasource_module, { file, why: (error as Error).message });
  }
  const { default: knows } = loaded;
  const why = 'its default export is no function';
  check(typeof knows === 'function', DATASOURCE_ERRORS.datasource_module, { file, why });
  return async (wanted) => {
    const found: unknown = await knows(wanted);
    if (found === undefined || found === null) return undefined;
    const json = jsonOfValue(found);
    const bytes = Buffer.byteLength(writeJson(json));
    if (bytes > bytesMax) throw tooLarge(bytesMax);
    return json;
  };
}

export async function knownBy(options: Limits & Pick<DatasourceOptions, 'ask' | 'module'>): Promise<Knows> {
  const { ask, module } = options;
  check((ask === undefined) !== (module === undefined), DATASOURCE_ERRORS.datasource_ask_needed);
  return ask === undefined ? knownByModule(module as string, options) : knownByUrl(ask, options);
}
