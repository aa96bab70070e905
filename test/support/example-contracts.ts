import { readFileSync } from 'node:fs';
import { type Json, type JsonObject, parseJson } from '../../src/codec/json.js';
import { type AbiDef, abiDef } from '../../src/protocol/abi.js';
import { makeAsset } from '../../src/protocol/asset.js';
import { nameFromText } from '../../src/protocol/name.js';
import type { OperationResult } from '../../src/protocol/results.js';
import { accountObject } from '../../src/state/objects/account.js';
import { index64Object, keyValueObject, tableIdObject } from '../../src/state/objects/contract-table.js';
import { AbiCodec } from '../../src/vm/abi/abi-codec.js';
import { NETWORK } from './network.js';
import { projectPath } from './paths.js';
import type { TestWorld, WorldOptions } from './world.js';

/** Contracts of docs/contracts/examples, as `npm run build:contracts` has compiled them. */
export function exampleContract(name: string): Contract {
  const code = readFileSync(projectPath('test/fixtures/contracts', `${name}.wasm`));
  const abi = parseJson(readFileSync(projectPath('test/fixtures/contracts', `${name}.abi`), 'utf8'));
  return { code: Uint8Array.from(code), abi: abiDef.fromJson(abi) };
}

/** People with money, and the account that sells RAM. */
export const CONTRACT_WORLD: WorldOptions = {
  accounts: { alice: 1_000_000_000n, bob: 1_000_000_000n, carol: 1_000_000_000n, 'ram-account': 0n },
};

export interface Contract {
  readonly code: Uint8Array;
  readonly abi: AbiDef;
}

export function deployContract(w: TestWorld, name: string, { code, abi }: Contract, owner = 'alice'): number {
  return w.create('contract_deploy', { name, account: owner, vm_type: '0', vm_version: '0', code, abi });
}

export function deployExample(w: TestWorld, name: string, owner = 'alice'): number {
  return deployContract(w, name, exampleContract(name), owner);
}

/** A call with its arguments as JSON; money is in the core asset. */
export function callGiven(w: TestWorld, caller: string, contract: string, method: string, args: Json = {}, money = 0) {
  const codec = new AbiCodec(w.account(contract).abi, NETWORK);
  return {
    account: caller,
    contract_id: contract,
    method_name: nameFromText(method),
    data: codec.packAction(method, args),
    amount: money === 0 ? undefined : makeAsset(BigInt(money), w.state.coreAsset),
  };
}

export function callExample(
  w: TestWorld,
  caller: string,
  contract: string,
  method: string,
  args: Json = {},
  money = 0,
): OperationResult {
  return w.push('contract_call', callGiven(w, caller, contract, method, args, money));
}

/** Bytes of RAM by account name, from the receipt of a call. */
export function ramOf(w: TestWorld, result: OperationResult): Record<string, number> {
  if (result[0] !== 4) throw new Error('not the receipt of a call');
  return Object.fromEntries(
    result[1].ram_receipts.map(({ account, ram_bytes }) => [
      w.state.get(accountObject, account).name,
      Number(ram_bytes),
    ]),
  );
}

/** What a receipt says that somebody paid for RAM; negative when it came back. */
export function ramFeeOf(w: TestWorld, who: string, result: OperationResult): bigint {
  if (result[0] !== 4) throw new Error('not the receipt of a call');
  return result[1].ram_receipts.find(({ account }) => account === w.id(who))?.ram_fee.amount ?? 0n;
}

function tableId(w: TestWorld, contract: string, table: bigint): number | undefined {
  const code = BigInt(w.id(contract));
  for (const found of w.state.all(tableIdObject)) {
    if (found.code === code && found.scope === code && found.table === table) return found.id;
  }
  return undefined;
}

/** Rows in the order of their primary keys, read by the contract's ABI. */
export function rowsOf(w: TestWorld, contract: string, table: string): JsonObject[] {
  const codec = new AbiCodec(w.account(contract).abi, NETWORK);
  const id = tableId(w, contract, nameFromText(table));
  const rows = [...w.state.walk(keyValueObject.by.primary)].filter((row) => row.t_id === id);
  return rows.map((row) => codec.unpack(table, row.value) as JsonObject);
}

/** Pairs of secondary and primary key in their order. */
export function entriesOf(w: TestWorld, contract: string, table: string, index: number): [number, number][] {
  const id = tableId(w, contract, nameFromText(table) | BigInt(index));
  const entries = [...w.state.walk(index64Object.by.secondary)].filter((entry) => entry.t_id === id);
  return entries.map((entry) => [Number(entry.secondary_key), Number(entry.primary_key)]);
}
