import type { rowsPage } from '../../../api/contracts.js';
import * as declared from '../../../api/contracts.js';
import { toHex } from '../../../base/bytes.js';
import { ChainError, check, defineErrors, fail } from '../../../base/errors.js';
import { U64_MAX } from '../../../base/int.js';
import { LIMITS } from '../../../base/limits.js';
import { encode } from '../../../codec/binary.js';
import type { Json } from '../../../codec/json.js';
import type { Network, ValueOf } from '../../../codec/type.js';
import type { AbiDef } from '../../../protocol/abi.js';
import { nameFromText, nameToText } from '../../../protocol/name.js';
import { signedTransaction } from '../../../protocol/transaction.js';
import type { OrderedIndex, StateObject } from '../../../state/define.js';
import { type AccountObject, accountObject } from '../../../state/objects/account.js';
import {
  index64Object,
  type KeyValueObject,
  keyValueObject,
  tableIdObject,
} from '../../../state/objects/contract-table.js';
import type { ReadState } from '../../../state/views.js';
import { AbiCodec } from '../../../vm/abi/abi-codec.js';
import { implement, type RpcContext } from '../../define.js';
import { readJson } from '../../pieces/json.js';
import { hasMoreParts, isPieces, type Pieces } from '../../pieces/pieces.js';
import { findByName } from './lookup.js';

export const TABLE_API_ERRORS = defineErrors({
  action_arguments_large: { kind: 'limit', text: 'the arguments of an action hold more than ${limit} values' },
  table_bounds: { text: 'params.lower_bound < params.upper_bound: lower_bound must < upper_bound' },
  table_index_position: { text: 'false: Invalid index_position: ${p}' },
  table_name_unsupported: { text: 'index == table: Unsupported table name: ${n}' },
});

type RowsPage = ValueOf<typeof rowsPage>;

/** Rows of one answer, and the time after which the rest is left for the next request. */
const ROWS_MAX = 10_000;
const WALK_MS = 10;

const POSITION_WORDS: readonly (readonly [RegExp, number])[] = [
  [/^(|first|primary|one)$/, 0],
  [/^(sec.*|two)$/, 1],
  [/^(ter.*|th.*)$/, 2],
  [/^fou.*$/, 3],
  [/^fi.*$/, 4],
  [/^six.*$/, 5],
  [/^sev.*$/, 6],
  [/^eig.*$/, 7],
  [/^nin.*$/, 8],
  [/^ten.*$/, 9],
];

/** Low four bits of a secondary index's table name hold its number. */
const INDEX_NUMBER_BITS = 0xfn;

/**
 * 0 is the primary index, n the n-th secondary one. Quirk: the number of a secondary index is cut to the four bits that
 * it has in the table's name.
 */
function indexPosition(given: string): number {
  for (const [words, position] of POSITION_WORDS) if (words.test(given)) return position;
  const number = /^\d{1,20}$/.test(given) ? BigInt(given) : U64_MAX + 1n;
  check(number <= U64_MAX, TABLE_API_ERRORS.table_index_position, { p: given });
  return number < 2n ? 0 : Number((number - 2n) & INDEX_NUMBER_BITS) + 1;
}

interface Walk {
  readonly table: bigint;
  readonly lower: bigint;
  readonly upper: bigint;
  readonly limit: bigint;
  readonly position: number;
  readonly reverse: boolean;
}

function tableOf(s: ReadState, code: bigint, table: bigint): number | undefined {
  // The scope is always the contract itself.
  const found = s.lowerBound(tableIdObject.by.codeScopeTable, [code, code, table]);
  return found?.code === code && found.scope === code && found.table === table ? found.id : undefined;
}

/** Packed rows whose key lies in the range, in the order asked; undefined for an entry of an index whose row is gone. */
function* rowsOf(s: ReadState, code: bigint, walk: Walk): Generator<Uint8Array | undefined> {
  const primary = tableOf(s, code, walk.table);
  if (primary === undefined) return;
  if (walk.position === 0) {
    for (const row of range(s, keyValueObject.by.primary, primary, walk, ({ primary_key }) => primary_key)) {
      yield row.value;
    }
    return;
  }
  const name = (walk.table & ~INDEX_NUMBER_BITS) | BigInt(walk.position - 1);
  const secondary = tableOf(s, code, name);
  if (secondary === undefined) return;
  for (const entry of range(s, index64Object.by.secondary, secondary, walk, ({ secondary_key }) => secondary_key)) {
    const row: Readonly<KeyValueObject> | undefined = s.lowerBound(keyValueObject.by.primary, [
      primary,
      entry.primary_key,
    ]);
    const isThere = row !== undefined && row.t_id === primary && row.primary_key === entry.primary_key;
    yield isThere ? row.value : undefined;
  }
}

interface TableRow extends StateObject {
  readonly t_id: number;
}

function* range<T extends TableRow>(
  s: ReadState,
  index: OrderedIndex<T>,
  table: number,
  walk: Walk,
  keyOf: (row: Readonly<T>) => bigint,
): Generator<Readonly<T>> {
  const inside = (row: Readonly<T> | undefined): row is Readonly<T> =>
    row !== undefined && row.t_id === table && keyOf(row) >= walk.lower && keyOf(row) < walk.upper;
  if (!walk.reverse) {
    let row: Readonly<T> | undefined = s.lowerBound(index, [table, walk.lower]);
    for (; inside(row); row = s.next(index, row)) yield row;
    return;
  }
  const above = s.lowerBound(index, [table, walk.upper]);
  let row: Readonly<T> | undefined = above === undefined ? s.last(index) : s.previous(index, above);
  for (; inside(row); row = s.previous(index, row)) yield row;
}

/**
 * Going through an ABI costs more than reading a row; contracts seldom change theirs. Of one that contradicts itself the
 * reason is kept: it may have two megabytes, and anybody may ask.
 */
const codecs = new WeakMap<object, AbiCodec | ChainError>();

function codecOf({ abi }: Readonly<AccountObject>, network: Network): AbiCodec {
  let codec = codecs.get(abi);
  if (codec === undefined) {
    codec = makeCodec(abi, network);
    codecs.set(abi, codec);
  }
  // Anew for each request, because an error gathers where it has come through.
  return codec instanceof ChainError ? fail(codec.row, codec.data) : codec;
}

function makeCodec(abi: AbiDef, network: Network): AbiCodec | ChainError {
  try {
    return new AbiCodec(abi, network);
  } catch (error) {
    if (error instanceof ChainError) return error;
    throw error;
  }
}

/**
 * Quirk: rows are read as the struct with the table's name, whether the ABI lists the table or not. Ours: without such
 * a struct as the type that the table declares, where the reference has only an error.
 */
function rowType({ structs, tables }: AbiDef, table: bigint): string {
  const name = nameToText(table);
  if (structs.some((struct) => struct.name === name)) return name;
  return tables.find((declared) => declared.name === table)?.type ?? name;
}

const EMPTY: RowsPage = { rows: [], more: false };

function readRows({ node }: RpcContext, contract: Readonly<AccountObject>, walk: Walk): RowsPage {
  const codec = codecOf(contract, node.chain.state.network);
  const type = rowType(contract.abi, walk.table);
  const limit = Math.min(Number(walk.limit), ROWS_MAX);
  const until = node.clock.monotonicMs() + WALK_MS;
  const rows: Json[] = [];
  let looked = 0;
  for (const bytes of rowsOf(node.chain.state, BigInt(contract.id), walk)) {
    // A contract may leave entries without rows behind, as many as it likes.
    if (looked++ >= ROWS_MAX) return { rows, more: true };
    // Nobody can go on behind a page without a row.
    if (rows.length > 0 && node.clock.monotonicMs() > until) return { rows, more: true };
    if (bytes === undefined) continue;
    if (rows.length >= limit) return { rows, more: true };
    rows.push(codec.unpack(type, bytes, LIMITS.rpc_row_values_max));
  }
  return { rows, more: false };
}

function* packArguments(
  { node }: RpcContext,
  contract: string,
  action: string,
  read: () => Json | Pieces<Json>,
): Pieces<string> {
  if (findByName(node.chain.state, contract) === undefined) return '';
  const made = read();
  const given = isPieces(made) ? yield* made : made;
  const limit = LIMITS.rpc_action_parts_max;
  check(!hasMoreParts(given, limit), TABLE_API_ERRORS.action_arguments_large, { limit });
  const account = findByName(node.chain.state, contract);
  return account === undefined
    ? ''
    : toHex(codecOf(account, node.chain.state.network).packAction(action, given, contract));
}

const INSTANCE_BITS = 0xffff_ffff_ffffn;

export const contractTableMethods = implement(declared.contractTableMethods, {
  get_table_objects: (context, { code, table, lower, upper, limit }) => {
    const contract = context.node.chain.state.find(accountObject, Number(code & INSTANCE_BITS));
    if (contract === undefined) return [];
    return readRows(context, contract, { table, lower, upper, limit, position: 0, reverse: false }).rows;
  },
  get_table_rows_ex: (context, { contract, table, params }) => {
    const account = findByName(context.node.chain.state, contract);
    if (account === undefined) return EMPTY;
    const { lower_bound: lower, upper_bound: upper, limit, reverse } = params;
    const name = nameFromText(table);
    check((name & INDEX_NUMBER_BITS) === 0n, TABLE_API_ERRORS.table_name_unsupported, { n: table });
    check(lower < upper, TABLE_API_ERRORS.table_bounds);
    const position = indexPosition(params.index_position);
    const walk = { table: name, lower, upper, limit, position, reverse };
    return readRows(context, account, walk);
  },
  get_table_rows: (context, { contract, table, start, limit }) => {
    const account = findByName(context.node.chain.state, contract);
    if (account === undefined) return EMPTY;
    let upper = start + limit;
    if (upper > U64_MAX) upper = U64_MAX;
    const walk = { table: nameFromText(table), lower: start, upper, limit, position: 0, reverse: false };
    return readRows(context, account, walk);
  },
  serialize_contract_call_args: (context, args) =>
    packArguments(context, args.contract, args.method, () => (args.json.trim() === '' ? {} : readJson(args.json))),
  serialize_transaction: (_, { trx }) => toHex(encode(signedTransaction, trx)),
});

export const contractMethods = implement(declared.contractMethods, {
  get_contract_tables: ({ node }, { contract }) =>
    findByName(node.chain.state, contract)?.abi.tables.map(({ name }) => nameToText(name)) ?? [],
  serialize_contract_params: (context, { contract, method: action, args }) =>
    packArguments(context, contract, action, () => args),
});
