import { LIMITS } from '../../../src/base/limits.js';
import { Chain } from '../../../src/chain/chain.js';
import type { ChainEvent } from '../../../src/chain/events.js';
import { MemoryBlockStore } from '../../../src/chain/memory-block-store.js';
import { CONTRACT_HOST_ERRORS } from '../../../src/operations/contract/host.js';
import { abiDef } from '../../../src/protocol/abi.js';
import type { SignedBlock } from '../../../src/protocol/block.js';
import { RUN_ERRORS } from '../../../src/vm/errors.js';
import { I32 } from '../../../src/vm/wasm/module.js';
import { OP } from '../../../src/vm/wasm/opcodes.js';
import { testEngine } from '../../support/engine.js';
import { CONTRACT_WORLD, type Contract, deployContract } from '../../support/example-contracts.js';
import { nextBlock } from '../../support/next-block.js';
import { refused } from '../../support/refused.js';
import { buildModule } from '../../support/wasm-builder.js';
import { core, type TestWorld, worldTest } from '../../support/world.js';

const [I32_SUB, I32_WRAP, I64_SHR_U] = [0x6b, 0xa7, 0x88];
const LETTER = 'm';
/** Pays one unit, with a memo as long as the method's number says, as often as its upper half says. */
const payer = (w: TestWorld): Contract => ({
  code: buildModule({
    imports: ['inline_transfer', 'memset'],
    memory: { min: 200 },
    applyLocals: [I32],
    apply: (a) => {
      a.i32(16).i32(LETTER.charCodeAt(0)).localGet(2).op(I32_WRAP).call(1).op(OP.drop);
      a.localGet(2).i64(32n).op(I64_SHR_U).op(I32_WRAP).localSet(3);
      a.raw([OP.loop, 0x40]);
      a.localGet(0)
        .i64(BigInt(w.id('bob')))
        .i64(BigInt(w.state.coreAsset))
        .i64(1n);
      a.i32(16).localGet(2).op(I32_WRAP).call(0);
      a.localGet(3).i32(1).op(I32_SUB).localTee(3).op(OP.br_if).u32(0).end();
    },
  }),
  abi: {
    ...abiDef.default(),
    actions: SIZES.map(([bytes, times]) => ({ name: method(bytes, times), type: 'pay', payable: false })),
  },
});
const method = (bytes: number, times: number): bigint => (BigInt(times) << 32n) | BigInt(bytes);
const SIZES = [
  [5, 1],
  [60_000, 1],
  [40_000, 2],
  [LIMITS.contract_memo_bytes_max, 1],
  [LIMITS.contract_memo_bytes_max + 1, 1],
  [12_000_000, 1],
] as const;

function begin(w: TestWorld): void {
  deployContract(w, 'payer', payer(w));
  w.push('transfer', { from: 'alice', to: 'payer', amount: core(1000) });
  w.block();
}

const pay = (w: TestWorld, bytes: number, times = 1) => ({
  account: 'alice',
  contract_id: w.id('payer'),
  method_name: method(bytes, times),
  data: new Uint8Array(0),
});

worldTest('memos that contracts write are paid for by their bytes, before they are copied', CONTRACT_WORLD, (t, w) => {
  begin(w);
  const timeOf = (bytes: number): number => {
    const result = w.push('contract_call', pay(w, bytes));
    return result[0] === 4 ? result[1].billed_cpu_time_us : 0;
  };
  // 200 instructions are a microsecond: one for each byte of the memo, and what it takes to write it first.
  const difference = timeOf(60_000) - timeOf(5);
  t.ok(difference >= 300 && difference < 400, `${difference} µs`);
  w.refuse(t, RUN_ERRORS.contract_own_time_exceeded, 'contract_call', pay(w, 12_000_000));
});

worldTest('this node takes in so many bytes of memos with one transaction', CONTRACT_WORLD, (t, w) => {
  begin(w);
  const limit = LIMITS.contract_memo_bytes_max;
  w.push('contract_call', pay(w, limit));
  for (const large of [pay(w, limit + 1), pay(w, 40_000, 2)]) {
    w.refuse(t, CONTRACT_HOST_ERRORS.contract_memos_large, 'contract_call', large);
  }
  const call = w.operation('contract_call', pay(w, 60_000));
  refused(t, CONTRACT_HOST_ERRORS.contract_memos_large, () => w.pushAll([call, call]), 'all of its calls together');
});

const ARGUMENTS = 65_000;
/** Sends itself the action 0 with so many bytes, as often as the method's number says. */
const TALKER: Contract = {
  code: buildModule({
    imports: ['send_inline'],
    memory: { min: 2 },
    applyLocals: [I32],
    apply: (a) => {
      for (const at of [8, 16]) a.i32(at).localGet(0).op(0x37).u8(3).u8(0);
      // The method is 0, and 65,000 has three bytes as a length.
      a.i32(48).i32(0x03_fb_e8).op(0x36).u8(2).u8(0);
      a.localGet(2).op(I32_WRAP).localSet(3);
      a.raw([OP.block, 0x40, OP.loop, 0x40]).localGet(3).op(0x45).op(OP.br_if).u32(1);
      a.i32(8)
        .i32(43 + ARGUMENTS)
        .call(0);
      a.localGet(3).i32(1).op(I32_SUB).localSet(3).op(OP.br).u32(0).end().end();
    },
  }),
  abi: { ...abiDef.default(), actions: [0n, 1n, 4n].map((name) => ({ name, type: 'say', payable: false })) },
};

worldTest('arguments for other contracts are paid for and bounded like memos', CONTRACT_WORLD, (t, w) => {
  deployContract(w, 'talker', TALKER);
  w.block();
  const given = { account: 'alice', contract_id: 'talker', data: new Uint8Array(0) };
  const say = (times: bigint) => ({ ...given, method_name: times });
  const timeOf = (times: bigint): number => {
    const result = w.push('contract_call', say(times));
    return result[0] === 4 ? result[1].billed_cpu_time_us : 0;
  };
  const [none, one] = [timeOf(0n), timeOf(1n)];
  t.ok(one - none > ARGUMENTS / 200, `${one - none} µs`);
  const four = w.operation('contract_call', say(4n));
  w.pushAll([four]);
  refused(t, CONTRACT_HOST_ERRORS.contract_arguments_large, () => w.pushAll([four, four]));
  const fit = Math.floor(LIMITS.block_memo_bytes_max / ARGUMENTS);
  for (let i = 5; i < fit + 3; i++) w.push('contract_call', say(1n));
  t.equal(w.blockOfWhatFits().transactions.length, 3 + fit - 5, 'those with nothing, one and four, and single ones');
  t.equal(w.blockOfWhatFits().transactions.length, 3);
});

worldTest('and so many with all that wait for a block; the others wait for the next one', CONTRACT_WORLD, (t, w) => {
  begin(w);
  const one = LIMITS.contract_memo_bytes_max;
  const fit = LIMITS.block_memo_bytes_max / one;
  for (let i = 0; i < fit + 3; i++) w.push('contract_call', pay(w, one));
  t.equal(w.blockOfWhatFits().transactions.length, fit);
  t.equal(w.blockOfWhatFits().transactions.length, 3);
});

worldTest('a block of others may hold more, and tells all of it', CONTRACT_WORLD, (t, w) => {
  begin(w);
  const { queries, blocks } = w.chain;
  const receipt = { billed_cpu_time_us: 5000, fee: core(100), ram_receipts: [] };
  const signed = w.sign([w.operation('contract_call', pay(w, 12_000_000))]);
  const block = nextBlock(w, { transactions: [{ ...signed, operation_results: [[4, receipt]] }] });
  const other = new Chain({ genesis: w.genesis, engine: testEngine(), blocks: new MemoryBlockStore() });
  for (let number = 1; number <= blocks.head.number; number++) {
    other.blocks.push({ block: queries.blockByNumber(number) as SignedBlock });
  }
  const told: string[] = [];
  other.blocks.subscribe((event: ChainEvent) => {
    if (event.kind !== 'applied') return;
    for (const { operation } of event.operations)
      if (operation[0] === 78) told.push((operation[1] as { memo?: string }).memo ?? '');
  });
  t.equal(other.blocks.push({ block }).isApplied, true);
  t.ok(told[0] === LETTER.repeat(12_000_000), 'all of the memo');
});
