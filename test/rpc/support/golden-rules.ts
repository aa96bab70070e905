import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '../../../src/codec/json.js';
import { holdsFrames, OWN_FRAMES } from '../../support/frames.js';

/** How answers are compared with the recorded ones, and where ours differ on purpose. */

interface ErrorAnswer {
  readonly code: number;
  readonly message: string;
  readonly data: {
    readonly code: number;
    readonly name: string;
    readonly message: string;
    readonly stack: readonly JsonObject[];
    /** Ours alone. */
    readonly key?: string;
  };
}

/**
 * Of an error, frames without a text are the reference's call stack: files, lines, C++ functions and their arguments.
 * They name code that does not exist here. `data.key`, `data.kind` and `data.hint` are ours.
 */
function comparableError(error: ErrorAnswer): unknown {
  const { code, message, data } = error;
  return { code, message, data: { code: data.code, name: data.name, message: data.message } };
}

/** A counter of the process that recorded; ours counts in the block. */
const VIRTUAL_COUNTER = /"virtual_op":\d+/g;

/** Undefined when equal; otherwise what differs. Member order counts. */
export function compare(actualAnswer: string, recordedAnswer: string): unknown {
  const actual = actualAnswer.replace(VIRTUAL_COUNTER, '');
  const recorded = recordedAnswer.replace(VIRTUAL_COUNTER, '');
  if (actual === recorded) return undefined;
  let ours: Record<string, unknown>;
  let theirs: Record<string, unknown>;
  try {
    ours = JSON.parse(actual);
    theirs = JSON.parse(recorded);
  } catch {
    return { actual: actual.slice(0, 2000), recorded: recorded.slice(0, 2000) };
  }
  if (theirs.error !== undefined && ours.error !== undefined) {
    const left = { ...ours, error: comparableError(ours.error as ErrorAnswer) };
    const right = { ...theirs, error: comparableError(theirs.error as ErrorAnswer) };
    const [{ data: own }, { data: recorded }] = [ours.error as ErrorAnswer, theirs.error as ErrorAnswer];
    const hasFrames = (own.key ?? '') in OWN_FRAMES || holdsFrames(own.stack, recorded.stack);
    return hasFrames && isDeepStrictEqual(left, right) ? undefined : { left, right, own, recorded };
  }
  return { actual: actual.slice(0, 3000), recorded: recorded.slice(0, 3000) };
}

interface Deviation {
  readonly name: string;
  readonly why: string;
  readonly match: (request: string, index: number) => boolean;
  /** What we answer instead. */
  readonly accept: (actual: string, recorded: string) => boolean;
}

const errorOf = (answer: string): ErrorAnswer | undefined => JSON.parse(answer).error as ErrorAnswer | undefined;

export const DEVIATIONS: readonly Deviation[] = [
  {
    name: 'request that cannot be read',
    why: 'the reference sends the text dump of an exception; ours is a JSON error with the id, or null where none can be read, and the same title',
    match: (request) => ['', 'garbage', '[]', '{"id":5}'].includes(request),
    accept: (actual, recorded) => {
      const error = errorOf(actual);
      const id = recorded.includes('Unknown Response ID: 5') ? 5 : null;
      const [, code, name, title] = /^(\d+) (\w+): (.*)$/m.exec(recorded) ?? [];
      const { data } = error ?? {};
      return (
        JSON.parse(actual).id === id && [data?.code, data?.name, data?.message].join() === [code, name, title].join()
      );
    },
  },
  {
    name: 'text as id, arguments by name',
    why: 'JSON-RPC allows both; the reference sends the text dump of an exception',
    match: (request) => /^\{"id":(3|"x"),"method":"get_test"/.test(request),
    accept: (actual, recorded) =>
      /^\{"id":(3|"x"),"jsonrpc":"2\.0","result":100\}$/.test(actual) && !recorded.startsWith('{'),
  },
  {
    name: 'fraction as id',
    why: 'an id comes back as it came, whatever number it is; the reference cuts the fraction off',
    match: (request) => request.startsWith('{"id":4.5,'),
    accept: (actual, recorded) => actual.replace('{"id":4.5,', '{"id":4,') === recorded,
  },
  {
    name: 'key that is none',
    why: 'the reference tells how its deserializer failed, with C++ type names; ours says what is wrong with the key',
    match: (request) => request.includes('"get_key_references","params":[["GXCbad"]]'),
    accept: (actual) => errorOf(actual)?.message === 'Assert Exception: public key must hold 37 bytes, not 3',
  },
  {
    name: 'verify_account_authority looks at the keys',
    why: 'the reference ignores them, so that it refuses nearly everything (node-api.md 8, decision 9)',
    match: (request) => request.includes('"verify_account_authority","params":["dave"'),
    accept: (actual) => actual.endsWith('"result":true}'),
  },
  {
    name: 'more rows of a table',
    why: 'the reference says false although the limit cut the list (decision 1)',
    match: (request) => request.includes('"get_table_rows_ex"') && request.includes('"upper_bound":-1,"limit":1}'),
    accept: (actual, recorded) => actual === recorded || actual === recorded.replace('"more":false', '"more":true'),
  },
  {
    name: 'empty arguments of a contract action',
    why: 'the documentation allows them, the reference fails to parse them (decision 3)',
    match: (request) => request.includes('"serialize_contract_call_args","params":["bank-c1","deposit",""]'),
    accept: (actual) => actual.endsWith('"result":""}'),
  },
  {
    name: 'second-hand data sources of a period',
    why: 'the reference finds none although five cases lie in the period',
    match: (request) => request.includes('"list_second_hand_datasources"'),
    accept: (actual) => actual.endsWith('"result":[["1.2.37",5]]}'),
  },
];
