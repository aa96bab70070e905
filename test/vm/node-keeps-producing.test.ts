import { toHex } from '../../src/base/bytes.js';
import { Chain } from '../../src/chain/chain.js';
import { MemoryBlockStore } from '../../src/chain/memory-block-store.js';
import { PENDING_ERRORS } from '../../src/chain/pending.js';
import { encode } from '../../src/codec/binary.js';
import { abiDef } from '../../src/protocol/abi.js';
import { makeAsset } from '../../src/protocol/asset.js';
import { nameFromText } from '../../src/protocol/name.js';
import { transaction as transactionType } from '../../src/protocol/transaction.js';
import { keyValueObject } from '../../src/state/objects/contract-table.js';
import { globalPropertyObject } from '../../src/state/objects/global-property.js';
import { proposalObject } from '../../src/state/objects/proposal.js';
import { stateHash } from '../../src/state/state-hash.js';
import { DEPLOY_ERRORS, RUN_ERRORS } from '../../src/vm/errors.js';
import type { Assembler } from '../../src/vm/wasm/assembler.js';
import { EMPTY, I32 } from '../../src/vm/wasm/module.js';
import { OP } from '../../src/vm/wasm/opcodes.js';
import { cpuMs } from '../support/cpu-time.js';
import { testEngine } from '../support/engine.js';
import { CONTRACT_WORLD, deployContract } from '../support/example-contracts.js';
import { refused } from '../support/refused.js';
import { buildModule } from '../support/wasm-builder.js';
import { type TestWorld, worldTest } from '../support/world.js';

/** Contracts that mean harm, on a whole chain: the caller is refused, everybody else goes on. */

const I32_ADD = 0x6a;
const I32_LT_U = 0x49;
const UNREACHABLE = 0x00;
const MEMORY_GROW = 0x40;

const ABI = {
  ...abiDef.default(),
  structs: [{ name: 'run', base: '', fields: [] }],
  actions: [{ name: nameFromText('run'), type: 'run', payable: false }],
};

const HOSTILE: Readonly<Record<string, Uint8Array<ArrayBuffer>>> = {
  loop: buildModule({ apply: (a) => a.op(OP.loop).u8(EMPTY).op(OP.br).u32(0).end() }),
  // Function 0 calls itself.
  recursion: buildModule({ functions: [{ code: (a) => a.call(0) }], apply: (a) => a.call(0) }),
  growth: buildModule({
    apply: (a) => a.op(OP.loop).u8(EMPTY).i32(100).op(MEMORY_GROW).u8(0).op(OP.drop).op(OP.br).u32(0).end(),
  }),
  trap: buildModule({ apply: (a) => a.op(UNREACHABLE) }),
  'start-loop': buildModule({
    functions: [{ code: (a) => a.op(OP.loop).u8(EMPTY).op(OP.br).u32(0).end() }],
    start: 0,
  }),
  rows: buildModule({
    imports: ['db_store_i64'],
    applyLocals: [I32],
    apply: (a) => {
      a.op(OP.loop).u8(EMPTY);
      a.localGet(3).i32(1).op(I32_ADD).localSet(3);
      a.i64(0n).i64(nameFromText('rec')).i64(0n).localGet(3).op(0xad).i32(0).i32(60_000).call(0);
      a.op(OP.drop).op(OP.br).u32(0).end();
    },
  }),
};

/** Stores a row at the caller's cost, whatever happens around it. */
const writer = buildModule({
  imports: ['get_trx_sender', 'db_store_i64'],
  apply: (a) => {
    a.i64(0n).i64(nameFromText('seen')).call(0).i64(1n).i32(0).i32(8).call(1).op(OP.drop);
  },
});

/** So many rounds of a loop of six instructions. */
const busy = (rounds: number): Uint8Array<ArrayBuffer> =>
  buildModule({
    applyLocals: [I32],
    apply: (a: Assembler) => {
      a.op(OP.loop).u8(EMPTY);
      a.localGet(3).i32(1).op(I32_ADD).localTee(3).i32(rounds).op(I32_LT_U).op(OP.br_if).u32(0).end();
    },
  });

const call = (contract: string) => ({
  account: 'bob',
  contract_id: contract,
  method_name: nameFromText('run'),
  data: new Uint8Array(0),
});

const billed = (result: readonly [number, unknown]): number =>
  (result[1] as { readonly billed_cpu_time_us: number }).billed_cpu_time_us;

const deploy = (w: TestWorld, name: string, code: Uint8Array): number => deployContract(w, name, { code, abi: ABI });

worldTest('hostile contracts are refused with a code, blocks go on', CONTRACT_WORLD, (t, w) => {
  for (const [name, code] of Object.entries(HOSTILE)) deploy(w, name, code);
  w.block();
  const rows = w.state.count(keyValueObject);
  const rowOf = new Map([
    ['recursion', RUN_ERRORS.contract_call_depth],
    ['trap', RUN_ERRORS.contract_trap],
  ]);
  for (const name of Object.keys(HOSTILE)) {
    const started = cpuMs();
    w.refuse(t, rowOf.get(name) ?? RUN_ERRORS.contract_own_time_exceeded, 'contract_call', call(name), name);
    const milliseconds = cpuMs() - started;
    t.ok(milliseconds < 2000, `${name}: ${milliseconds.toFixed(0)} ms`);
    const number = w.state.headNumber;
    w.push('transfer', { from: 'alice', to: 'bob', amount: makeAsset(5n, 1) });
    w.block();
    t.equal(w.state.headNumber, number + 1, `${name}: the next block is there`);
    t.equal(w.chain.pending.transactions.length, 0, `${name}: with what waited`);
  }
  t.equal(w.state.count(keyValueObject), rows, 'nothing of what they wrote is left');
  const bad = { name: 'bad', account: 'alice', vm_type: '0', vm_version: '0', abi: ABI };
  const wide = buildModule({ memory: { min: 529 } });
  w.refuse(t, DEPLOY_ERRORS.wasm_memory_size, 'contract_deploy', { ...bad, code: wide });
  const large = buildModule({ table: 1025 });
  w.refuse(t, DEPLOY_ERRORS.wasm_table_size, 'contract_deploy', { ...bad, code: large });
  w.block();
});

worldTest('a call has the smaller of both limits of CPU time', CONTRACT_WORLD, (t, w) => {
  // 200 instructions are a microsecond: about 3000, 12000 and 30000 microseconds.
  deploy(w, 'small', busy(100_000));
  deploy(w, 'medium', busy(400_000));
  w.block();
  const used = billed(w.push('contract_call', call('small')));
  t.ok(used > 2000 && used < 5000, `${used}`);
  t.equal(billed(w.push('contract_call', call('small'))), used, 'the same each time');
  w.refuse(t, RUN_ERRORS.contract_own_time_exceeded, 'contract_call', call('medium'), "the node's own cap");
  w.block();
  w.changeParameters(withCpuLimits(w, { trx_cpu_limit: used - 1, block_cpu_limit: 800_000 }));
  w.refuse(t, RUN_ERRORS.contract_time_exceeded, 'contract_call', call('small'), "the chain's parameter");
  w.changeParameters(withCpuLimits(w, { trx_cpu_limit: used, block_cpu_limit: 800_000 }));
  t.equal(billed(w.push('contract_call', call('small'))), used, 'exactly as much is allowed');
  w.block();
});

worldTest('calls that a block has no room for wait for the next', CONTRACT_WORLD, (t, w) => {
  deploy(w, 'small', busy(100_000));
  w.block();
  const used = billed(w.push('contract_call', call('small')));
  w.block();
  w.changeParameters(withCpuLimits(w, { trx_cpu_limit: 20_000, block_cpu_limit: 3 * used }));
  for (let i = 0; i < 5; i++) w.push('contract_call', call('small'));
  const counts: number[] = [];
  while (w.chain.pending.transactions.length > 0) counts.push(w.blockOfWhatFits().transactions.length);
  t.same(counts, [2, 2, 1], 'less than the limit, in order');
  w.changeParameters(withCpuLimits(w, { trx_cpu_limit: 20_000, block_cpu_limit: 2 * used + 1 }));
  for (let i = 0; i < 2; i++) w.push('contract_call', call('small'));
  t.equal(w.blockOfWhatFits().transactions.length, 2, 'less by one is less');
  w.changeParameters(withCpuLimits(w, { trx_cpu_limit: 20_000, block_cpu_limit: 3 * used }));

  const greedy = (calls: number) => Array.from({ length: calls }, () => w.operation('contract_call', call('small')));
  refused(t, PENDING_ERRORS.pending_cpu, () => w.pushAll(greedy(3)), { data: { used: 3 * used, limit: 3 * used } });
  t.equal(w.chain.pending.transactions.length, 0);
  w.pushAll(greedy(2));
  w.push('transfer', { from: 'alice', to: 'bob', amount: makeAsset(5n, 1) });
  w.block();
});

worldTest('what a block does is independent of the cap of the node that applies it', CONTRACT_WORLD, (t, w) => {
  deploy(w, 'medium', busy(400_000));
  w.block();
  // Nobody bills what a proposal runs, so every node measures it.
  const proposal = w.create('proposal_create', {
    fee_paying_account: 'alice',
    expiration_time: w.now + 60,
    proposed_ops: [{ op: w.operation('contract_call', call('medium')) }],
  });
  w.push('proposal_update', { fee_paying_account: 'bob', proposal, active_approvals_to_add: ['bob'] });
  t.notOk(w.state.find(proposalObject, proposal), 'it runs while it is pending');
  const block = w.block();
  t.notOk(w.state.find(proposalObject, proposal), 'and in a block');
  const heads = [1, 1_000_000].map((contractTimeUsMax) => {
    const other = new Chain({
      genesis: w.genesis,
      engine: testEngine(),
      blocks: new MemoryBlockStore(),
      contractTimeUsMax,
    });
    for (let number = 1; number <= block.number; number++) {
      const stored = w.chain.queries.blockByNumber(number);
      if (stored === undefined) throw new Error(`no block ${number}`);
      other.blocks.push({ block: stored });
    }
    return other.snapshots.withHeadState(stateHash);
  });
  t.equal(heads[0], heads[1]);
});

worldTest('calls of all proposals in a block share its time', CONTRACT_WORLD, (t, w) => {
  deploy(w, 'small', busy(100_000));
  deploy(w, 'trap', HOSTILE.trap as Uint8Array);
  deploy(w, 'writer', writer);
  w.block();
  const used = billed(w.push('contract_call', call('small')));
  const little = billed(w.push('contract_call', call('writer')));
  w.block();
  w.changeParameters(withCpuLimits(w, { trx_cpu_limit: 2 * used, block_cpu_limit: 5 * used }));
  const approve = (...contracts: string[]): number => {
    const proposal = w.create('proposal_create', {
      fee_paying_account: 'alice',
      expiration_time: w.now + 600,
      proposed_ops: contracts.map((name) => ({ op: w.operation('contract_call', call(name)) })),
    });
    w.push('proposal_update', { fee_paying_account: 'bob', proposal, active_approvals_to_add: ['bob'] });
    return proposal;
  };
  const remaining = (proposals: readonly number[]): boolean[] =>
    proposals.map((proposal) => w.state.find(proposalObject, proposal) !== undefined);
  const proposals = [approve('small', 'small'), approve('small', 'small'), approve('small', 'small'), approve('small')];
  t.same(remaining(proposals), [false, false, true, true], 'the third runs out of time, and uses up the rest');
  w.block();
  t.same(remaining(proposals), [false, false, true, true], 'in the block it goes as it went while pending');

  // What has failed counts as much as it might have taken.
  const failing = [approve('trap'), approve('trap'), approve('small'), approve('writer')];
  t.equal(billed(w.push('contract_call', call('small'))), used, 'calls that a receipt bills do not share that time');
  w.block();
  t.same(remaining(failing), [true, true, false, true], `${little} of ${used} µs`);
});

worldTest(
  'calls of a proposal that ends with a block have the time that its transactions leave',
  CONTRACT_WORLD,
  (t, w) => {
    deploy(w, 'small', busy(100_000));
    deploy(w, 'writer', writer);
    w.block();
    const used = billed(w.push('contract_call', call('small')));
    w.block();
    w.changeParameters(withCpuLimits(w, { trx_cpu_limit: 2 * used, block_cpu_limit: 5 * used }));
    const approve = (contracts: readonly string[], when: object): number => {
      const proposed_ops = contracts.map((name) => ({ op: w.operation('contract_call', call(name)) }));
      const proposal = w.create('proposal_create', { fee_paying_account: 'alice', proposed_ops, ...when });
      w.push('proposal_update', { fee_paying_account: 'bob', proposal, active_approvals_to_add: ['bob'] });
      return proposal;
    };
    const rows = w.state.count(keyValueObject);
    // Who makes the block has the trials of its transactions, all others run them: both must know what those have used.
    for (const [others, written] of [
      [2, 0],
      [1, 1],
    ] as const) {
      const expiration_time = w.now + 60;
      const late = approve(['small', 'writer'], { expiration_time, review_period_seconds: 30 });
      w.block();
      while (w.chain.queries.slotTime(1) < expiration_time) w.block();
      for (let i = 0; i < others; i++) approve(['small', 'small'], { expiration_time: w.now + 600 });
      t.ok(w.state.find(proposalObject, late));
      w.block();
      t.notOk(w.state.find(proposalObject, late));
      t.equal(w.state.count(keyValueObject), rows + written, `${others} others`);
    }
  },
);

/** Keeps how the contract sees the current transaction, and the id of block 1. */
const witness = buildModule({
  imports: [
    'transaction_size',
    'read_transaction',
    'db_store_i64',
    'get_block_id_for_num',
    'expiration',
    'get_trx_sender',
  ],
  applyLocals: [I32],
  apply: (a) => {
    a.i32(0).call(0).op(0x36).u32(2).u32(0);
    a.i32(64).i32(2000).call(1).localSet(3);
    a.i32(8).i32(1).call(3);
    a.i32(32).call(4).op(0x37).u32(3).u32(0);
    a.i64(0n).i64(nameFromText('seen')).call(5);
    a.call(4).i32(0).localGet(3).i32(64).op(I32_ADD).call(2).op(OP.drop);
  },
});

worldTest('the transaction under way and ids of blocks, in blocks and before', CONTRACT_WORLD, (t, w) => {
  deploy(w, 'witness', witness);
  w.block();
  const signed = w.sign([w.operation('contract_call', call('witness'))]);
  w.chain.pending.push({ transaction: signed });
  const packed = toHex(encode(transactionType, signed));
  const first = w.chain.queries.blockIdOf(1);
  const rowOf = (): string => {
    const row = [...w.state.all(keyValueObject)].find(({ primary_key }) => primary_key === BigInt(signed.expiration));
    if (row === undefined) throw new Error('the contract has stored nothing');
    return toHex(row.value);
  };
  const check = (when: string): void => {
    const row = rowOf();
    const size = new DataView(Uint8Array.from(Buffer.from(row.slice(0, 8), 'hex')).buffer).getUint32(0, true);
    t.equal(size, packed.length / 2, `${when}: size`);
    t.equal(row.slice(16, 56), first, `${when}: id of block 1`);
    t.equal(row.slice(128), packed, `${when}: the transaction`);
  };
  check('pending');
  const { transactions } = w.block();
  t.equal(transactions.length, 1);
  check('in a block');
});

worldTest('a proposal that expires runs without a transaction', CONTRACT_WORLD, (t, w) => {
  deploy(w, 'witness', witness);
  deploy(w, 'writer', writer);
  w.block();
  const proposals = ['witness', 'writer'].map((name) =>
    w.create('proposal_create', {
      fee_paying_account: 'alice',
      expiration_time: w.now + 40,
      review_period_seconds: 20,
      proposed_ops: [{ op: w.operation('contract_call', call(name)) }],
    }),
  );
  for (const proposal of proposals) {
    w.push('proposal_update', { fee_paying_account: 'bob', proposal, active_approvals_to_add: ['bob'] });
  }
  w.block();
  t.equal(w.state.count(keyValueObject), 0, 'under review');
  w.advance(60);
  const [row, ...others] = [...w.state.all(keyValueObject)];
  t.equal(row?.primary_key, 1n, 'the one that asks for no transaction has run');
  t.same(others, [], 'the other one has failed');
});

function withCpuLimits(w: TestWorld, limits: { trx_cpu_limit: number; block_cpu_limit: number }) {
  const { parameters } = w.state.single(globalPropertyObject);
  const others = parameters.extensions.filter(([tag]) => tag !== 7);
  const extensions = [...others, [7, limits] as const].sort(([a], [b]) => a - b);
  return { extensions } as Partial<typeof parameters>;
}
