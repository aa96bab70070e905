import { concatBytes, fromHex } from '../src/base/bytes.js';
import { newContext } from '../src/chain/context.js';
import { sha256 } from '../src/crypto/hash.js';
import { publicKeyToText } from '../src/crypto/public-key.js';
import { signatureBackend } from '../src/crypto/signature.js';
import type { ContractSession } from '../src/operations/contract/engine.js';
import { contractHost } from '../src/operations/contract/host.js';
import { SKIP } from '../src/operations/define.js';
import { nameFromText } from '../src/protocol/name.js';
import type { SignedTransaction } from '../src/protocol/transaction.js';
import type { ChainState } from '../src/state/chain-state.js';
import { accountObject } from '../src/state/objects/account.js';
import { HOST_FUNCTIONS } from '../src/vm/host/index.js';
import { contractKeys } from '../src/vm/keys.js';
import { INSTRUCTIONS_PER_MICROSECOND } from '../src/vm/limits.js';
import { createContractEngine } from '../src/vm/runtime.js';
import type { Assembler } from '../src/vm/wasm/assembler.js';
import { EMPTY, F32, F64, I32, I64 } from '../src/vm/wasm/module.js';
import { OP } from '../src/vm/wasm/opcodes.js';
import { methods } from '../test/support/contract-world.js';
import { testEngine } from '../test/support/engine.js';
import { NETWORK } from '../test/support/network.js';
import { ThreadTime } from '../test/support/thread-time.js';
import { testKey } from '../test/support/vm-keys.js';
import { buildModule } from '../test/support/wasm-builder.js';
import { core, TestWorld } from '../test/support/world.js';
import type { Ratio } from './fixtures/ratios.js';
import type { Print, Size } from './run.js';

/**
 * What every host function takes beside what the meter bills for it, on a chain's state, in running time of its thread.
 * More than 1.0 says that a contract which does nothing else runs longer than its receipt says.
 */

/** An argument: a number as it is, or the number of the round, or the result of the call before. */
type Argument = number | bigint | 'round' | 'result';
type HostCall = readonly [name: string, ...args: Argument[]];

interface Case {
  readonly label?: string;
  /** Once, before the rounds. */
  readonly first?: readonly HostCall[];
  /** In each round; the last one is what is measured, the others are subtracted. */
  readonly calls: readonly HostCall[];
  readonly rounds?: number;
}

const TABLE = 16n;
const SECOND = 17n;
const ROWS = 1000;
const BYTES = 32_768;
/** Where the arguments lie. */
const AT = {
  data: 1024,
  reference: 2048,
  text: 4096,
  key: 4352,
  digest: 4608,
  signature: 4672,
  name: 4800,
  inline: 4864,
};
const LONG = 16_384;

const ENDS_THE_ACTION = new Set(['abort', 'graphene_exit']);

const signer = testKey('bench');
const digest = sha256(Uint8Array.of(1));
const text = new TextEncoder();

const HASHES = ['sha1', 'sha256', 'sha512', 'ripemd160'];

/** A check of a hash that is right. */
const hashed = (name: string): Case => ({
  calls: [
    [name, AT.data, 32, AT.reference],
    [`assert_${name}`, AT.data, 32, AT.reference],
  ],
});

/** Functions whose plain arguments would be refused, or do nothing. */
function cases(self: bigint, alice: bigint): Readonly<Record<string, Case>> {
  const store: HostCall = ['db_store_i64', self, SECOND, 0n, 'round', AT.data, 32];
  const index: HostCall = ['db_idx64_store', self, SECOND, 0n, 'round', AT.reference];
  const find: HostCall = ['db_find_i64', self, self, TABLE, 500n];
  const findEntry: HostCall = ['db_idx64_find_primary', self, self, TABLE, AT.reference, 500n];
  return {
    get_block_id_for_num: { calls: [['get_block_id_for_num', AT.reference, 1]] },
    get_account_id: { calls: [['get_account_id', AT.name, 5]] },
    get_account_name_by_id: { calls: [['get_account_name_by_id', AT.data, 32, alice]] },
    get_asset_id: { calls: [['get_asset_id', AT.name + 8, 3]] },
    get_asset_precision: { calls: [['get_asset_precision', AT.name + 8, 3]] },
    get_balance: { calls: [['get_balance', alice, 1n]] },
    withdraw_asset: { calls: [['withdraw_asset', self, alice, 1n, 1n]], rounds: 1000 },
    inline_transfer: { calls: [['inline_transfer', self, alice, 1n, 1n, AT.data, 8]], rounds: 1000 },
    send_inline: { calls: [['send_inline', AT.inline, 41]], rounds: 1000 },
    ...Object.fromEntries(HASHES.map((name) => [`assert_${name}`, hashed(name)])),
    assert_recover_key: { calls: [['assert_recover_key', AT.digest, AT.signature, AT.key, 53]], rounds: 200 },
    verify_signature: { calls: [['verify_signature', AT.text, 1, AT.signature, AT.key, 1]], rounds: 200 },
    memcpy: { calls: [['memcpy', AT.data, AT.reference, 32]] },
    memmove: { calls: [['memmove', AT.data, AT.reference, 32]] },
    memset: { calls: [['memset', AT.data, 1, 32]] },
    memcmp: { calls: [['memcmp', AT.data, AT.data, 32]] },
    db_store_i64: { calls: [store] },
    db_update_i64: { first: [find], calls: [['db_update_i64', 0, 0n, AT.data, 32]] },
    db_remove_i64: { calls: [store, ['db_remove_i64', 'result']] },
    db_get_i64: { first: [find], calls: [['db_get_i64', 0, AT.data, 32]] },
    db_next_i64: { first: [find], calls: [['db_next_i64', 0, AT.reference]] },
    db_previous_i64: { first: [find], calls: [['db_previous_i64', 0, AT.reference]] },
    db_find_i64: { calls: [['db_find_i64', self, self, TABLE, 'round']] },
    db_lowerbound_i64: { calls: [['db_lowerbound_i64', self, self, TABLE, 'round']] },
    db_upperbound_i64: { calls: [['db_upperbound_i64', self, self, TABLE, 'round']] },
    db_end_i64: { calls: [['db_end_i64', self, self, TABLE]] },
    db_idx64_store: { calls: [index] },
    db_idx64_update: { first: [findEntry], calls: [['db_idx64_update', 0, 0n, AT.reference]] },
    db_idx64_remove: { calls: [index, ['db_idx64_remove', 'result']] },
    db_idx64_find_secondary: { calls: [['db_idx64_find_secondary', self, self, TABLE, AT.data, AT.reference]] },
    db_idx64_find_primary: { calls: [['db_idx64_find_primary', self, self, TABLE, AT.reference, 'round']] },
    db_idx64_lowerbound: { calls: [['db_idx64_lowerbound', self, self, TABLE, AT.data, AT.reference]] },
    db_idx64_upperbound: { calls: [['db_idx64_upperbound', self, self, TABLE, AT.data, AT.reference]] },
    db_idx64_end: { calls: [['db_idx64_end', self, self, TABLE]] },
    db_idx64_next: { first: [findEntry], calls: [['db_idx64_next', 0, AT.reference]] },
    db_idx64_previous: { first: [findEntry], calls: [['db_idx64_previous', 0, AT.reference]] },
  };
}

/** Functions that work on as many bytes as they are given. */
function longCases(self: bigint): readonly Case[] {
  const of = (...call: HostCall): Case => ({ label: `${call[0]}, 32 KiB`, calls: [call], rounds: 200 });
  return [
    of('sha1', LONG, BYTES, AT.reference),
    of('sha256', LONG, BYTES, AT.reference),
    of('sha512', LONG, BYTES, AT.reference),
    of('ripemd160', LONG, BYTES, AT.reference),
    of('memcpy', LONG, LONG + BYTES / 2, BYTES / 2),
    of('memmove', LONG, LONG + 1, BYTES),
    of('memset', LONG, 1, BYTES),
    of('memcmp', LONG, LONG, BYTES),
    of('prints_l', LONG, BYTES),
    of('printhex', LONG, BYTES),
    of('read_action_data', LONG, BYTES),
    of('db_store_i64', self, SECOND, 0n, 'round', LONG, BYTES),
    of('get_account_id', LONG, BYTES),
    {
      label: 'db_get_i64, 32 KiB',
      first: [['db_store_i64', self, SECOND, 0n, 1n, LONG, BYTES]],
      calls: [['db_get_i64', 0, LONG, BYTES]],
      rounds: 200,
    },
  ];
}

function usualCase(name: string): Case {
  const { signature, type } = HOST_FUNCTIONS.get(name) ?? { signature: '', type: undefined };
  const words = (signature.split('>')[0] ?? '').split(' ').filter((word) => word !== '');
  const args = words.flatMap((word): Argument[] => {
    if (word === 'P') return [AT.data, 32];
    if (word.startsWith('R')) return [AT.reference];
    if (word === 'Z') return [AT.text];
    return [word === 'f' ? 0x3fc00000 : word === 'F' ? 0x3ff8000000000000n : word === 'I' ? 0x3fff8000000000n : 1];
  });
  if (type?.parameters.length !== args.length) throw new Error(`arguments of ${name}`);
  return { calls: [[name, ...args]] };
}

function pushArgument(a: Assembler, type: number, value: Argument): void {
  if (value === 'round') {
    a.localGet(3);
    if (type === I64) a.op(0xad);
  } else if (value === 'result') a.localGet(4);
  else if (type === I32) a.i32(Number(value));
  else if (type === I64) a.i64(BigInt(value));
  else if (type === F32) a.f32Bits(Number(value));
  else if (type === F64) a.f64Bits(BigInt(value));
}

function moduleOf(first: readonly HostCall[], calls: readonly HostCall[], rounds: number, inline: Uint8Array) {
  const imports = [...new Set([...first, ...calls].map(([name]) => name))];
  return buildModule({
    imports,
    applyLocals: [I32, I32],
    data: [
      { at: AT.data, bytes: new Uint8Array(32).fill(1) },
      { at: AT.text, bytes: text.encode('a text that ends\0') },
      { at: AT.key, bytes: text.encode(`${publicKeyToText(signer.publicKey, NETWORK.keyPrefix)}\0`) },
      { at: AT.digest, bytes: digest },
      { at: AT.signature, bytes: signatureBackend().sign(digest, signer.secret) },
      { at: AT.name, bytes: text.encode('alice   GXC') },
      { at: AT.inline, bytes: inline },
    ],
    apply: (a) => {
      const emit = ([name, ...args]: HostCall): void => {
        const { type } = HOST_FUNCTIONS.get(name) ?? {};
        type?.parameters.forEach((parameter, i) => {
          pushArgument(a, parameter, args[i] ?? 0);
        });
        a.call(imports.indexOf(name));
        if (type?.result === I32) a.localSet(4);
        else if (type?.result !== EMPTY) a.op(OP.drop);
      };
      for (const call of first) emit(call);
      a.i32(2000).localSet(3);
      a.op(OP.loop).u8(EMPTY);
      for (const call of calls) emit(call);
      a.localGet(3).i32(1).op(0x6a).localTee(3);
      a.i32(2000 + rounds)
        .op(0x47)
        .op(OP.br_if)
        .u32(0)
        .end();
    },
  });
}

/** Of the thread that runs the contract, where the system tells it: compiling and collecting go on beside it. */
const threadTime = ThreadTime.open();
const now = (): number => threadTime?.now() ?? performance.now();

/** How fast the machine is at the moment: microseconds to recover a key from a signature. */
function recovery(): number {
  const backend = signatureBackend();
  const signature = backend.sign(digest, signer.secret);
  let best = Number.POSITIVE_INFINITY;
  for (let i = 0; i < 20; i++) {
    const startMs = now();
    for (let n = 0; n < 50; n++) backend.recover(digest, signature);
    best = Math.min(best, ((now() - startMs) * 1000) / 50);
  }
  return best;
}

interface Figures {
  readonly micros: number;
  readonly billed: number;
}

class Meter {
  readonly #state: ChainState;
  readonly #self: number;
  readonly #alice: number;
  readonly #transaction: SignedTransaction;
  readonly #engine = createContractEngine(contractKeys(NETWORK));

  constructor(state: ChainState, transaction: SignedTransaction, self: number, alice: number) {
    this.#state = state;
    this.#transaction = transaction;
    this.#self = self;
    this.#alice = alice;
  }

  /** Of one round. */
  #measure(first: readonly HostCall[], calls: readonly HostCall[], rounds: number): Figures {
    const inline = new DataView(new ArrayBuffer(41));
    inline.setBigUint64(0, BigInt(this.#self), true);
    inline.setBigUint64(8, BigInt(this.#self), true);
    inline.setBigUint64(32, nameFromText('run'), true);
    const code = moduleOf(first, calls, rounds, new Uint8Array(inline.buffer));
    const contract = { code, codeVersion: `${JSON.stringify(calls, big)} ${rounds}`, actions: methods('run') };
    let best: Figures = { micros: Number.POSITIVE_INFINITY, billed: 0 };
    for (let i = 0; i < 5; i++) {
      const state = this.#state;
      state.openFrame();
      const context = newContext({
        skip: SKIP.none,
        engine: testEngine(),
        contractTimeUsMax: Number.POSITIVE_INFINITY,
        blockId: () => undefined,
      });
      context.transaction = this.#transaction;
      const real = contractHost(state, context, (): ContractSession => session as unknown as ContractSession);
      // Queued calls are not measured here: they are actions of their own.
      const effects = { ...real.effects, callContract: () => undefined };
      const host = { ...real, effects, chain: { ...real.chain, contract: () => contract } };
      const limits = { instructions: 1n << 60n, inlineCalls: 1 << 30, inlineActionBytes: 65_536 };
      const session = this.#engine.begin(this.#alice, limits, host);
      const action = {
        contract: this.#self,
        sender: this.#alice,
        method: nameFromText('run'),
        data: new Uint8Array(BYTES),
        amount: undefined,
      };
      const startMs = now();
      session.execute(action);
      const micros = (now() - startMs) * 1000;
      state.undoFrame();
      const billed = Number(session.instructionsUsed) / Number(INSTRUCTIONS_PER_MICROSECOND);
      best = { micros: Math.min(best.micros, micros / rounds), billed: billed / rounds };
    }
    return best;
  }

  /** Of the last call of a case. */
  figures({ first = [], calls, rounds = 5000 }: Case): Figures {
    const all = this.#measure(first, calls, rounds);
    if (calls.length === 1) return all;
    const others = this.#measure(first, calls.slice(0, -1), rounds);
    return { micros: all.micros - others.micros, billed: all.billed - others.billed };
  }
}

const big = (_key: string, value: unknown): unknown => (typeof value === 'bigint' ? `${value}` : value);

export function run(print: Print, size: Size, ratio: Ratio): void {
  const w = new TestWorld({ accounts: { alice: 10n ** 15n, probe: 10n ** 12n, 'ram-account': 0n } });
  w.push('transfer', { from: 'alice', to: 'probe', amount: core(10n ** 10n) });
  w.block();
  const [self, alice] = [w.id('probe'), w.id('alice')];
  const transaction = w.sign([w.operation('transfer', { from: 'alice', to: 'probe', amount: core(1) })]);
  w.chain.snapshots.withHeadState((state) => {
    state.openFrame();
    const meter = new Meter(state, transaction, self, alice);
    if (state.get(accountObject, self) === undefined) throw new Error('there is no account to measure with');
    fill(state, self, alice);
    const own = cases(BigInt(self), BigInt(alice));
    const names = [...HOST_FUNCTIONS.keys()].filter((name) => !ENDS_THE_ACTION.has(name));
    const all: Case[] = [
      ...names.map((name) => ({ label: name, ...(own[name] ?? usualCase(name)) })),
      ...longCases(BigInt(self)),
    ];
    const perRecovery = recovery();
    print(['R, recovery of a key', `${perRecovery.toFixed(2)} µs`]);
    let least = Number.POSITIVE_INFINITY;
    for (const one of size === 'full' ? all : all.slice(0, 5)) {
      const { micros, billed } = meter.figures(one);
      least = Math.min(least, billed / micros);
      print([
        one.label ?? '',
        `${micros.toFixed(2)} µs`,
        `${(micros / perRecovery).toFixed(4)} R`,
        `billed ${billed.toFixed(2)} µs`,
        `${(micros / billed).toFixed(2)} times`,
      ]);
    }
    ratio('what the meter bills for the dearest function to what it takes', least);
    state.undoFrame();
  });
}

/** Rows and entries to look for. */
function fill(state: ChainState, self: number, alice: number): void {
  const context = newContext({ skip: SKIP.none, engine: testEngine(), contractTimeUsMax: 0, blockId: () => undefined });
  const { store } = contractHost(state, context, () => {
    throw new Error('nothing runs');
  });
  const table = store.createTable(BigInt(self), BigInt(self), TABLE, BigInt(alice));
  const value = concatBytes(fromHex('01'), new Uint8Array(31));
  for (let id = 0n; id < ROWS; id++) {
    store.createRow(table.id, id, BigInt(alice), value);
    store.createEntry(table.id, id, BigInt(alice), id);
  }
  store.setTableCount(table.id, 2 * ROWS);
}
