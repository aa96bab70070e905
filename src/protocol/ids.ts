import { check, defineErrors, FAMILY, fail } from '../base/errors.js';
import { DEPTH_COST } from '../codec/decode-rules.js';
import { unsignedFromText, wrongKind } from '../codec/scalars.js';
import type { AsText, PlainType } from '../codec/type.js';

export const ID_ERRORS = defineErrors({
  id_text: { text: 'first_dot != second_dot: ', hint: '${text} is no object id: those are space.type.instance' },
  id_number: { ...FAMILY.parse, text: "Couldn't parse uint64_t" },
  id_kind: {
    text: "fc::to_uint64( s.substr( 0, first_dot ) ) == SpaceID && fc::to_uint64( s.substr( first_dot+1, second_dot-first_dot-1 ) ) == TypeID: Space.Type.0 (${SpaceID}.${TypeID}.0) doesn't match expected value ${var}",
  },
  id_range: {
    text: 'vo.number <= GRAPHENE_DB_MAX_INSTANCE_ID: ',
    hint: '${text} names no object: instances end at 2^48 - 1, spaces and types at 255',
  },
});

/**
 * An object id is `space.type.instance`. Where space and type are known, the value in memory is the instance alone.
 * Instances above 2^53 can be written into a transaction but name no object; they are carried as bigints so that their
 * bytes survive, hidden behind the number type because nothing ever calculates with an instance.
 */
export type Instance = AsText<number, ObjectIdText>;

/** No object has this instance or a larger one. */
export const INSTANCE_END = 1n << 48n;

/** `space.type.instance`, such as `1.2.9`. */
export type ObjectIdText = `${number}.${number}.${number}`;

export const PROTOCOL_TYPES = [
  'null',
  'base',
  'account',
  'asset',
  'force_settlement',
  'committee_member',
  'witness',
  'limit_order',
  'call_order',
  'custom',
  'proposal',
  'operation_history',
  'withdraw_permission',
  'vesting_balance',
  'worker',
  'balance',
  'data_market_category',
  'free_data_product',
  'league_data_product',
  'league',
  'data_transaction',
  'pocs',
  'datasource_copyright',
  'second_hand_data',
  'data_transaction_complain',
  'lock_balance',
  'trust_node_pledge',
  'staking',
] as const;

const IMPLEMENTATION_TYPES = [
  'global_property',
  'dynamic_global_property',
  'reserved',
  'asset_dynamic_data',
  'asset_bitasset_data',
  'account_balance',
  'account_statistics',
  'transaction',
  'block_summary',
  'account_transaction_history',
  'blinded_balance',
  'chain_property',
  'witness_schedule',
  'budget_record',
  'special_authority',
  'buyback',
  'fba_accumulator',
  'account_merchant',
  'search_result_18',
  'search_result_19',
  'search_result_20',
  'search_result_21',
  'signature',
  'table_id',
  'key_value',
  'index64',
  'index128',
  'index256',
  'index_double',
  'index_long_double',
  'trx_entry_history',
  'op_entry_history',
] as const;

export interface ObjectIdParts {
  readonly space: number;
  readonly type: number;
  readonly instance: number;
}

/** Each part is read for itself, by the rules for unsigned numbers: a sign may stand in front, and wraps. */
function idNumber(part: string, text: string): bigint {
  return unsignedFromText(part) ?? fail(ID_ERRORS.id_number, { i: text });
}

interface IdText {
  readonly space: bigint;
  readonly type: bigint;
  /** Not read yet. */
  readonly instance: string;
}

function splitId(text: string): IdText {
  const first = text.indexOf('.');
  const second = text.indexOf('.', first + 1);
  check(first !== second, ID_ERRORS.id_text, { text });
  // Quirk: without a second dot the whole text counts as the instance, which is then no number.
  const type = second < 0 ? text.slice(first + 1) : text.slice(first + 1, second);
  return {
    space: idNumber(text.slice(0, Math.max(first, 0)), text),
    type: idNumber(type, text),
    instance: text.slice(second + 1),
  };
}

/** The id of something that can exist. */
export function parseObjectId(text: string): ObjectIdParts {
  const id = splitId(text);
  const instance = idNumber(id.instance, text);
  const exists = id.space < 256n && id.type < 256n && instance < INSTANCE_END;
  check(exists, ID_ERRORS.id_range, { text });
  return { space: Number(id.space), type: Number(id.type), instance: Number(instance) };
}

const [DOT, ZERO, NINE] = [0x2e, 0x30, 0x39];
/** Digits of an instance that is far below everything that a number does not hold. */
const PLAIN_DIGITS_MAX = 12;

/** Of an id as nearly all are: a digit, a few digits, a few digits. -1 where it is not so simple, or of another kind. */
function plainInstance(text: string, space: number, type: number): number {
  if (text.charCodeAt(0) !== ZERO + space || text.charCodeAt(1) !== DOT) return -1;
  let at = 2;
  let found = 0;
  for (; text.charCodeAt(at) !== DOT; at++) {
    const digit = text.charCodeAt(at) - ZERO;
    // Also behind the end of the text, where there is no code.
    if (!(digit >= 0 && digit <= NINE - ZERO) || at > 4) return -1;
    found = found * 10 + digit;
  }
  const from = at + 1;
  if (at === 2 || found !== type || from >= text.length || text.length - from > PLAIN_DIGITS_MAX) return -1;
  let instance = 0;
  for (let i = from; i < text.length; i++) {
    const digit = text.charCodeAt(i) - ZERO;
    if (!(digit >= 0 && digit <= NINE - ZERO)) return -1;
    instance = instance * 10 + digit;
  }
  return instance;
}

/** What operations hold: any 64-bit instance, whether it names anything or not. */
function parseInstance(text: string, space: number, type: number): Instance {
  const plain = plainInstance(text, space, type);
  if (plain >= 0) return plain as Instance;
  const id = splitId(text);
  const matches = id.space === BigInt(space) && id.type === BigInt(type);
  check(matches, ID_ERRORS.id_kind, () => ({ TypeID: type, SpaceID: space, var: text }));
  const instance = idNumber(id.instance, text);
  return (instance <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(instance) : instance) as Instance;
}

export function formatObjectId(space: number, type: number, instance: Instance): string {
  return `${space}.${type}.${instance}`;
}

/** Numeric order; plain comparison also holds for the oversized instances described above. */
export function compareInstances(a: Instance, b: Instance): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function typedId(name: string, space: number, type: number): PlainType<Instance> {
  return {
    name: `${name}_id`,
    bytesMin: 1,
    depth: DEPTH_COST.object_id,
    shape: { kind: 'scalar' },
    read: (reader) => reader.varint() as Instance,
    pass: (reader) => reader.plainVarint() >= 0,
    write: (writer, value) => writer.varint(value),
    toJson: (value) => formatObjectId(space, type, value),
    fromJson: (json) => {
      if (typeof json !== 'string') wrongKind(json, `${name}_id`);
      return parseInstance(json, space, type);
    },
    default: () => 0,
    compare: compareInstances,
  };
}

const protocolId = (name: (typeof PROTOCOL_TYPES)[number]): PlainType<Instance> =>
  typedId(name, 1, PROTOCOL_TYPES.indexOf(name));
const implementationId = (name: (typeof IMPLEMENTATION_TYPES)[number]): PlainType<Instance> =>
  typedId(name, 2, IMPLEMENTATION_TYPES.indexOf(name));

export const accountId = protocolId('account');
export const assetId = protocolId('asset');
export const forceSettlementId = protocolId('force_settlement');
export const committeeMemberId = protocolId('committee_member');
export const witnessId = protocolId('witness');
export const limitOrderId = protocolId('limit_order');
export const proposalId = protocolId('proposal');
export const operationHistoryId = protocolId('operation_history');
export const withdrawPermissionId = protocolId('withdraw_permission');
export const vestingBalanceId = protocolId('vesting_balance');
export const balanceId = protocolId('balance');
export const dataMarketCategoryId = protocolId('data_market_category');
export const freeDataProductId = protocolId('free_data_product');
export const leagueDataProductId = protocolId('league_data_product');
export const leagueId = protocolId('league');
export const lockBalanceId = protocolId('lock_balance');
export const stakingId = protocolId('staking');
export const assetDynamicDataId = implementationId('asset_dynamic_data');
export const assetBitassetDataId = implementationId('asset_bitasset_data');
export const accountStatisticsId = implementationId('account_statistics');
export const accountTransactionHistoryId = implementationId('account_transaction_history');
export const fbaAccumulatorId = implementationId('fba_accumulator');
export const tableId = implementationId('table_id');

type PackedObjectId = AsText<bigint, ObjectIdText>;

/** Any object id, 8 bytes: the full 64-bit number, packed as space, type and instance. */
export const objectId: PlainType<PackedObjectId> = {
  name: 'object_id_type',
  bytesMin: 8,
  depth: DEPTH_COST.object_id,
  shape: { kind: 'scalar' },
  read: (reader) => reader.u64(),
  pass: (reader) => reader.pass(8),
  write: (writer, value) => writer.u64(value),
  toJson: (value) => objectIdText(value),
  fromJson: (json) => {
    if (typeof json !== 'string') wrongKind(json, 'object_id_type');
    const { space, type, instance } = parseObjectId(json);
    return packObjectId(space, type, instance);
  },
  default: () => 0n,
  compare: (a, b) => (a < b ? -1 : a > b ? 1 : 0),
};

export function packObjectId(space: number, type: number, instance: Instance): bigint {
  return (BigInt(space) << 56n) | (BigInt(type) << 48n) | BigInt(instance);
}

export function unpackObjectId(id: bigint): ObjectIdParts {
  return { space: Number(id >> 56n), type: Number((id >> 48n) & 0xffn), instance: Number(id & 0xffff_ffff_ffffn) };
}

export function objectIdText(id: bigint): string {
  const { space, type, instance } = unpackObjectId(id);
  return formatObjectId(space, type, instance);
}

/** Accounts and objects that exist on every chain of the family. */
export const COMMITTEE_ACCOUNT = 0;
export const WITNESS_ACCOUNT = 1;
export const RELAXED_COMMITTEE_ACCOUNT = 2;
export const NULL_ACCOUNT = 3;
export const TEMP_ACCOUNT = 4;
export const PROXY_TO_SELF_ACCOUNT = 5;
/** Asset 1.3.0, the core asset until fork 1008. */
export const ORIGINAL_CORE_ASSET = 0;
/** Asset 1.3.1, the core asset since fork 1008. */
export const CORE_ASSET = 1;
