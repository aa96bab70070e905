import { readFileSync } from 'node:fs';
import { fromHex, toHex } from '../../src/base/bytes.js';
import { sha256Hex } from '../../src/crypto/hash.js';
import type { ContractRules } from '../../src/operations/contract/engine.js';
import { nameFromText } from '../../src/protocol/name.js';
import { ContractWorld, contractFile } from './contract-world.js';
import { projectPath } from './paths.js';

/** Every contract operation of the reference's test chain, with the RAM it was billed and the tables it left. */
export interface GoldenCalls {
  readonly accounts: readonly (readonly [id: number, name: string])[];
  readonly assets: readonly (readonly [id: number, symbol: string, precision: number])[];
  readonly steps: readonly (GoldenDeploy | GoldenCall)[];
  readonly tables: readonly (readonly [
    id: number,
    code: number,
    scope: string,
    table: string,
    payer: number,
    count: number,
  ])[];
  readonly rows: readonly (readonly [id: number, table: number, key: string, payer: number, value: string])[];
  readonly entries: readonly (readonly [id: number, table: number, key: string, payer: number, secondary: string])[];
}

export interface GoldenDeploy {
  readonly deploy: string;
  readonly contract: number;
  readonly actions: readonly (readonly [name: string, payable: boolean])[];
}

export interface GoldenCall {
  readonly call: string;
  readonly contract: number;
  readonly sender: number;
  readonly head_num: number;
  readonly head_time: number;
  readonly data: string;
  readonly expiration: number;
  readonly ref_block_num: number;
  readonly amount?: readonly [amount: number, asset: number];
  readonly ram?: readonly (readonly [account: number, bytes: number])[];
  readonly ram_total?: number;
}

export const GOLDEN = JSON.parse(
  readFileSync(projectPath('test/vectors/contracts/golden-calls.json'), 'utf8'),
) as GoldenCalls;

const FORK_1016_SEC = 1_553_832_000;
const FORK_1022_SEC = 1_585_281_600;

function rulesAt(headTime: number): ContractRules {
  const payers = headTime > FORK_1016_SEC;
  return {
    ram_per_payer: payers,
    inline_calls: payers,
    inline_transfer: payers,
    removes_emptied_tables: !payers,
    index_update_keeps_payer: payers,
    key_as_text: headTime > FORK_1022_SEC,
    asset_precision: headTime > FORK_1022_SEC,
  };
}

/** Replays all steps; `seen` gets each call with its outcome. The world it leaves holds the tables. */
export function replayGolden(
  seen: (step: GoldenCall, ram: readonly (readonly [number, number])[], total: number, instructions: bigint) => void,
): ContractWorld {
  const world = new ContractWorld();
  for (const [id, name] of GOLDEN.accounts) world.accounts.set(id, name);
  for (const [id, symbol, precision] of GOLDEN.assets) world.assets.set(id, { symbol, precision });
  // Balances are not this test's business: everybody has enough.
  for (const [account] of GOLDEN.accounts) {
    for (const [asset] of GOLDEN.assets) world.setBalance(BigInt(account), BigInt(asset), 10n ** 15n);
  }
  for (const step of GOLDEN.steps) {
    if ('deploy' in step) {
      const actions = step.actions.map(([name, payable]) => ({ name: nameFromText(name), payable }));
      world.deploy(step.contract, contractFile(`${step.deploy}.wasm`), actions);
      continue;
    }
    world.rules = rulesAt(step.head_time);
    world.headNum = step.head_num;
    world.headTimeSec = step.head_time;
    world.currentTransaction = {
      packed: () => new Uint8Array(100),
      expirationSec: step.expiration,
      refBlockNum: step.ref_block_num,
      refBlockPrefix: 0,
    };
    const { session } = world.call(step.contract, step.call, {
      data: fromHex(step.data),
      sender: step.sender,
      instructions: 1n << 40n,
      ...(step.amount === undefined ? {} : { amount: { amount: BigInt(step.amount[0]), asset: step.amount[1] } }),
    });
    seen(step, session.ramUsage(), session.ramTotal(), session.instructionsUsed);
  }
  return world;
}

/** One hash over everything that a replay shows, instruction counts included. */
export function goldenDigest(): string {
  const lines: string[] = [];
  const { store } = replayGolden((step, ram, total, instructions) => {
    lines.push(`${step.call} ${ram.join(' ')} ${total} ${instructions}`);
  });
  for (const { id, code, scope, table, payer, count } of store.tables) {
    lines.push(`${id} ${code} ${scope} ${table} ${payer} ${count}`);
  }
  for (const row of store.rows)
    lines.push(`${row.id} ${row.tableId} ${row.primaryKey} ${row.payer} ${toHex(row.value)}`);
  for (const { id, tableId, primaryKey, payer, secondaryKey } of store.entries) {
    lines.push(`${id} ${tableId} ${primaryKey} ${payer} ${secondaryKey}`);
  }
  return sha256Hex(new TextEncoder().encode(lines.join('\n')));
}
