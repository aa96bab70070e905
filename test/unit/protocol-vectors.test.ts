import { existsSync, readFileSync } from 'node:fs';
import t, { type Test } from 'tap';
import { fromHex, toHex } from '../../src/base/bytes.js';
import { ChainError } from '../../src/base/errors.js';
import { decode, encode } from '../../src/codec/binary.js';
import { optional, set, withDefault } from '../../src/codec/containers.js';
import { type Json, parseJson } from '../../src/codec/json.js';
import { bool, bytes, f64, i64, text, time, u8, u16, u32, u64, u128, varint } from '../../src/codec/scalars.js';
import { struct } from '../../src/codec/struct.js';
import type { AnyType } from '../../src/codec/type.js';
import { transactionId } from '../../src/crypto/digests.js';
import { sha256Hex } from '../../src/crypto/hash.js';
import { accountCreate } from '../../src/operations/account/account-create.js';
import { requiredAuthorities } from '../../src/operations/authorities.js';
import { OPERATIONS } from '../../src/operations/index.js';
import { quoteFee } from '../../src/operations/required-fee.js';
import { validateOperation } from '../../src/operations/validation.js';
import { abiDef } from '../../src/protocol/abi.js';
import { asset, makeAsset, price } from '../../src/protocol/asset.js';
import { authority, specialAuthority } from '../../src/protocol/authority.js';
import { type AuthoritySource, requiredSignatures, verifyAuthority } from '../../src/protocol/authority-check.js';
import { blockHeader, signedBlock, signedBlockHeader } from '../../src/protocol/block.js';
import { feeSchedule } from '../../src/protocol/chain-parameters.js';
import { extensions } from '../../src/protocol/extensions.js';
import { coreTarget } from '../../src/protocol/fee-target.js';
import { accountId, CORE_ASSET, objectId } from '../../src/protocol/ids.js';
import { checksum160, publicKey } from '../../src/protocol/keys.js';
import { memoData } from '../../src/protocol/memo.js';
import { contractName } from '../../src/protocol/name.js';
import { type Operation, operation, operations } from '../../src/protocol/operation-slot.js';
import { vestingPolicyInitializer } from '../../src/protocol/operations/accounts.js';
import { workerInitializer } from '../../src/protocol/operations/governance.js';
import { operationResult } from '../../src/protocol/results.js';
import { signedTransaction, transaction } from '../../src/protocol/transaction.js';
import { voteId } from '../../src/protocol/vote.js';
import { AbiCodec } from '../../src/vm/abi/abi-codec.js';
import { defaultFeeSchedule } from '../support/default-fees.js';
import { minimalSignatures } from '../support/minimal-signatures.js';
import { NETWORK } from '../support/network.js';
import { projectPath } from '../support/paths.js';

// biome-ignore lint/suspicious/noExplicitAny: data of a file whose shape the runner of each group knows
type Data = any;

const vectors = parseJson(readFileSync(projectPath('test/vectors/protocol.json'), 'utf8')) as Record<string, Data>;

/** What the group's data say stands next to them: another test reads it. */
const COVERED_ELSEWHERE: Readonly<Record<string, string>> = {
  keys: 'test/unit/crypto/keys.test.ts',
  null_public_key: 'test/unit/crypto/keys.test.ts',
  brain_keys: 'test/unit/crypto/keys.test.ts',
  client_divergence: 'test/unit/crypto/keys.test.ts',
  memo: 'test/unit/crypto/memo.test.ts',
  chain: 'test/unit/crypto/digests.test.ts',
  proxy_transfer_request: 'test/unit/crypto/digests.test.ts',
};

/** The vectors' serializer had no curve library behind it: it passes commitments that are not even points. */
const MADE_UP_COMMITMENTS = new Set([39, 40, 41]);

const create_ext = accountCreate.schema.fields.extensions as AnyType;
const TYPES: Readonly<Record<string, AnyType>> = {
  uint8: u8,
  uint16: u16,
  uint32: u32,
  int64: i64,
  uint64: u64,
  uint128: u128,
  varint,
  bool,
  double: f64,
  string: text,
  bytes,
  time_point_sec: time,
  ripemd160: checksum160,
  vote_id: voteId,
  'set<vote_id>': set(voteId),
  account_id: accountId,
  'set<account_id>': set(accountId),
  'optional<uint32>': optional(u32),
  object_id_type: objectId,
  asset,
  price,
  public_key: publicKey,
  memo_data: memoData,
  name: contractName,
  authority,
  special_authority: specialAuthority,
  'extension<account_create_ext>': create_ext,
  extensions_type: extensions,
  operation_result: operationResult,
  vesting_policy_initializer: vestingPolicyInitializer,
  worker_initializer: workerInitializer,
  fee_schedule: feeSchedule,
  'struct{o:optional<uint32>,n:uint32=7}': struct('sample', { o: optional(u32), n: withDefault(u32, () => 7) }),
};

const DECODED_AS: Readonly<Record<string, AnyType>> = {
  'varint nonminimal': varint,
  'varint nonminimal3': varint,
  'varint 10 bytes max': varint,
  'varint overflow': varint,
  'varint 11': varint,
  trunc: varint,
  bool2: bool,
  opt: optional(u8),
  'set unsorted+dup': set(accountId),
  'set dup': set(accountId),
  'op tag 85': operation,
  'op tag nonminimal transfer': operation,
  'trailing bytes ignored': operation,
  truncated: operation,
  'string w/ invalid utf8': text,
  'oid large': accountId,
  'oid 2^48': accountId,
  'ext order': create_ext,
  'ext unknown idx': create_ext,
  'ext ok2': create_ext,
  'exts unknown tag': extensions,
  'exts two same': extensions,
  'bytes huge len': bytes,
  auth: authority,
};

function known(types: Readonly<Record<string, AnyType>>, name: string): AnyType {
  const type = types[name];
  if (type === undefined) throw new Error(`no type for ${name}`);
  return type;
}

function refuses(t: Test, work: () => unknown, what: string): void {
  try {
    work();
  } catch (error) {
    if (!(error instanceof ChainError)) throw error;
    t.pass(what);
    return;
  }
  t.fail(`${what}: not refused`);
}

/** 100000 of 1.3.1 for 33333 of 1.3.5: the rate that the vectors' fees imply. */
const RATE_OF_5 = { base: makeAsset(100_000n, CORE_ASSET), quote: makeAsset(33_333n, 5) };

function checkOperation(t: Test, vector: Data): void {
  const definition = OPERATIONS[vector.id];
  if (definition === undefined) throw new Error(`no operation ${vector.id}`);
  const name = `${vector.id} ${vector.name} ${vector.note ?? ''}`;
  t.equal(definition.name, vector.name, name);
  const { schema } = definition;
  t.equal(toHex(encode(schema, schema.fromJson(vector.json, NETWORK))), vector.body_hex, `${name}: bytes`);
  const body = decode(schema, fromHex(vector.body_hex));
  t.equal(toHex(encode(schema, body)), vector.body_hex, `${name}: bytes again`);
  t.same(schema.toJson(body, NETWORK), vector.reference_json, `${name}: JSON`);
  t.equal(accountId.toJson(definition.payer(body)), vector.fee_payer, `${name}: payer`);

  const op = [vector.id, body] as unknown as Operation;
  const schedule = defaultFeeSchedule();
  const fees = vector.fee_default_schedule;
  const inCore = quoteFee(schedule, op, coreTarget(CORE_ASSET));
  t.same([String(inCore.amount), inCore.asset_id], [fees['in_1.3.1'], CORE_ASSET], `${name}: fee`);
  if ('in_1.3.5' in fees) {
    const inOther = quoteFee(schedule, op, { core: CORE_ASSET, rate: RATE_OF_5 });
    t.same([String(inOther.amount), inOther.asset_id], [fees['in_1.3.5'], 5], `${name}: fee in another asset`);
  }

  const isAccepted = vector.validate === 'ok' && !MADE_UP_COMMITMENTS.has(vector.id);
  if (isAccepted) t.doesNotThrow(() => validateOperation(op), `${name}: accepted`);
  else refuses(t, () => validateOperation(op), `${name}: refused`);
}

function checkTransaction(t: Test, vector: Data): void {
  const trx = signedTransaction.fromJson(vector.tx, NETWORK);
  const packed = encode(transaction, trx);
  t.equal(toHex(packed), vector.unsigned_hex, `${vector.name}: unsigned bytes`);
  t.equal(toHex(encode(signedTransaction, trx)), vector.signed_hex, `${vector.name}: signed bytes`);
  t.equal(sha256Hex(packed), vector.digest_sha256_hex, `${vector.name}: digest`);
  t.equal(transactionId(packed), vector.transaction_id, `${vector.name}: id`);
  const decoded = decode(signedTransaction, fromHex(vector.signed_hex));
  t.same(decoded, trx, `${vector.name}: decoded`);
  t.equal(toHex(encode(signedTransaction, decoded)), vector.signed_hex, `${vector.name}: bytes again`);
}

function checkBlock(t: Test, vector: Data): void {
  const block = signedBlock.fromJson(vector.published_block, NETWORK);
  const name = `block ${vector.block_num}`;
  t.equal(toHex(encode(blockHeader, block)), vector.header_hex, `${name}: header`);
  t.equal(toHex(encode(signedBlockHeader, block)), vector.signed_header_hex, `${name}: signed header`);
  t.equal(toHex(encode(signedBlock, block)), vector.full_block_hex, `${name}: bytes`);
  const decoded = decode(signedBlock, fromHex(vector.full_block_hex));
  t.same(decoded, block, `${name}: decoded`);
  t.same(
    decoded.transactions.map((trx) => toHex(encode(transaction, trx))),
    vector.transactions_hex,
    `${name}: unsigned transactions`,
  );
}

function checkJson(t: Test, vector: Data): void {
  const type = known(TYPES, vector.type);
  const name = `${vector.type} from ${vector.input_json_text}`;
  const read = () => type.fromJson(parseJson(vector.input_json_text, 'reference'), NETWORK);
  if (vector.rejected === true) {
    refuses(t, read, name);
    return;
  }
  const value = read();
  t.equal(toHex(encode(type, value)), vector.hex, `${name}: bytes`);
  t.equal(JSON.stringify(type.toJson(value, NETWORK)), vector.output_json_text, `${name}: JSON`);
  t.equal(toHex(encode(type, decode(type, fromHex(vector.hex)))), vector.hex, `${name}: bytes again`);
}

function checkDecoding(t: Test, vector: Data): void {
  const type = known(DECODED_AS, vector.case);
  const name = `${vector.case} ${vector.input_hex}`;
  const read = () => decode(type, fromHex(vector.input_hex), 'ignore');
  if (vector.rejected === true) refuses(t, read, name);
  else t.equal(toHex(encode(type, read())), vector.repacked_hex, name);
}

function checkPrimitive(t: Test, vector: Data): void {
  const type = known(TYPES, vector.type);
  const name = `${vector.type} ${JSON.stringify(vector.json)}`;
  t.equal(toHex(encode(type, type.fromJson(vector.json, NETWORK))), vector.hex, name);
  t.equal(toHex(encode(type, decode(type, fromHex(vector.hex)))), vector.hex, `${name}: bytes again`);
}

function checkName(t: Test, vector: Data): void {
  const value = contractName.fromJson(vector.name);
  t.equal(value.toString(), vector.uint64_decimal, vector.name);
  t.equal(toHex(encode(contractName, value)), vector.packed_hex, `${vector.name}: bytes`);
  t.equal(contractName.toJson(value), vector.back, `${vector.name}: text`);
}

function checkObjectId(t: Test, vector: Data): void {
  const value = objectId.fromJson(vector.id);
  t.equal(value.toString(), vector.uint64_decimal, vector.id);
  t.equal(toHex(encode(objectId, value)), vector.packed_hex, `${vector.id}: bytes`);
  t.equal(objectId.toJson(value), vector.id, `${vector.id}: text`);
}

function checkScenario(t: Test, keys: Record<string, { text: string }>, scenario: Data): void {
  const keyOf = (label: string): string => publicKey.fromJson(keys[label]?.text ?? '', NETWORK);
  const labels = new Map(Object.keys(keys).map((label) => [keyOf(label), label]));
  const accounts = new Map<number, Data>(
    scenario.accounts.map(([id, auths]: [string, Data]) => [accountId.fromJson(id), auths]),
  );
  const source: AuthoritySource = {
    network: NETWORK,
    depthMax: scenario.max_authority_depth,
    active: (id) => authority.fromJson(accounts.get(id).active, NETWORK),
    owner: (id) => authority.fromJson(accounts.get(id).owner, NETWORK),
  };
  const ids = (list: Iterable<number>) => [...list].sort((a, b) => a - b).map((id) => accountId.toJson(id));
  const required = requiredAuthorities(operations.fromJson(scenario.operations, NETWORK));
  t.same(ids(required.active), scenario.required_active, `${scenario.name}: active`);
  t.same(ids(required.owner), scenario.required_owner, `${scenario.name}: owner`);
  t.equal(required.other.length, scenario.required_other_count, `${scenario.name}: other`);

  const signed = scenario.signing_keys.map(keyOf);
  let outcome = 'ok';
  let code: number | undefined;
  try {
    verifyAuthority(source, required, { keys: signed });
  } catch (error) {
    if (!(error instanceof ChainError)) throw error;
    outcome = error.row.name;
    code = error.code;
  }
  t.equal(outcome, scenario.verify, `${scenario.name}: verify`);
  t.equal(code, scenario.error_code, `${scenario.name}: code`);
  if (scenario.available_keys === undefined) return;
  const atHand = { signed: [], available: scenario.available_keys.map(keyOf) };
  const named = (found: readonly string[]) => found.map((key) => labels.get(key));
  const wanted = requiredSignatures(source, required, atHand);
  t.same(named(wanted), scenario.get_required_signatures, `${scenario.name}: required signatures`);
  const fewest = minimalSignatures(source, required, atHand);
  t.same(named(fewest), scenario.minimize_required_signatures, `${scenario.name}: fewest signatures`);
}

const each =
  (work: (t: Test, vector: Data) => void) =>
  (t: Test, data: Data): void => {
    t.ok(data.length > 0, 'there are vectors');
    for (const vector of data) work(t, vector);
  };

const RUNNERS: Readonly<Record<string, (t: Test, data: Data) => void>> = {
  about: (t, data) => t.type(data, 'string'),
  names: each(checkName),
  object_id_u64: each(checkObjectId),
  primitives: each(checkPrimitive),
  contract_call_data: (t, data) => {
    const codec = new AbiCodec(abiDef.fromJson(data.abi), NETWORK);
    t.equal(toHex(codec.packAction(data.action, data.params as Json)), data.hex);
    t.same(codec.unpackAction(data.action, fromHex(data.hex)), data.params);
  },
  operations: (t, data) => {
    each(checkOperation)(t, data);
    const covered = new Set(data.map((vector: Data) => vector.id));
    for (const { tag, name } of OPERATIONS) t.ok(covered.has(tag), `${name} has a vector`);
  },
  transactions: each(checkTransaction),
  blocks: each(checkBlock),
  reference_json_conversion: each(checkJson),
  reference_binary_decoding: each(checkDecoding),
  authority: (t, data) => each((t, scenario) => checkScenario(t, data.keys, scenario))(t, data.scenarios),
};

for (const [group, data] of Object.entries(vectors)) {
  t.test(group, async (t) => {
    const elsewhere = COVERED_ELSEWHERE[group];
    if (elsewhere !== undefined) {
      t.ok(existsSync(projectPath(elsewhere)), `covered by ${elsewhere}`);
      return;
    }
    const run = RUNNERS[group];
    if (run === undefined) throw new Error(`no runner for the group ${group}`);
    run(t, data);
  });
}

t.test('every runner has a group', async (t) => {
  for (const group of [...Object.keys(RUNNERS), ...Object.keys(COVERED_ELSEWHERE)]) t.ok(group in vectors, group);
});
