import { existsSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { check } from '../../base/errors.js';
import { operationOf } from '../../client/operations.js';
import { optional, withDefault } from '../../codec/containers.js';
import { parseJson } from '../../codec/json.js';
import { bool, text, u64 } from '../../codec/scalars.js';
import { struct } from '../../codec/struct.js';
import { type AbiDef, abiDef } from '../../protocol/abi.js';
import { asset } from '../../protocol/asset.js';
import { nameFromText, nameToText } from '../../protocol/name.js';
import {
  contractCallOperation,
  contractDeployOperation,
  contractUpdateOperation,
} from '../../protocol/operations/contracts.js';
import { AbiCodec } from '../../vm/abi/abi-codec.js';
import type { Account } from '../chain-view.js';
import { CHECK_ERRORS, KEYSTORE_ERRORS } from '../errors.js';
import { readNamed } from '../file/read.js';
import type { Wallet } from '../wallet.js';
import { act, FEE_AND_BROADCAST, feeAsset, SIGNED_TRANSACTION } from './common.js';
import { type CommandTable, command } from './define.js';

const WASM_MAGIC = [0x00, 0x61, 0x73, 0x6d];

/** `folder/folder.wasm` and `folder/folder.abi`, as the build of a contract leaves them. */
function readContract(folder: string): { code: Uint8Array; abi: AbiDef } {
  const name = join(resolve(folder), basename(resolve(folder)));
  check(existsSync(`${name}.abi`), CHECK_ERRORS.contract_no_abi, { file: `${name}.abi` });
  check(existsSync(`${name}.wasm`), CHECK_ERRORS.contract_no_code, { file: `${name}.wasm` });
  const code = Uint8Array.from(readNamed(`${name}.wasm`));
  const isModule = WASM_MAGIC.every((byte, i) => code[i] === byte);
  check(isModule, CHECK_ERRORS.contract_not_wasm, { file: `${name}.wasm` });
  return { code, abi: abiDef.fromJson(parseJson(readNamed(`${name}.abi`).toString('utf8'))) };
}

const abiOf = (wallet: Wallet, account: Account): AbiDef =>
  wallet.chain.read(abiDef, 'get_accounts', account.json.abi ?? null);

const tablesOf = (wallet: Wallet, account: Account): string[] =>
  abiOf(wallet, account).tables.map(({ name }) => nameToText(name));

const rowsParams = struct('get_table_rows_params', {
  lower_bound: u64,
  upper_bound: withDefault(u64, () => 2n ** 64n - 1n),
  limit: withDefault(u64, () => 10n),
  index_position: withDefault(u64, () => 1n),
  reverse: bool,
});

export const contractCommands = {
  deploy_contract: command({
    params: {
      name: text,
      account: text,
      vm_type: text,
      vm_version: text,
      contract_dir: text,
      ...FEE_AND_BROADCAST,
    },
    result: SIGNED_TRANSACTION,
    acts: true,
    help: 'Makes a contract of the .wasm and .abi file of a folder, which are called like the folder.',
    examples: ['deploy_contract "my-bank" "alice" "0" "0" "/contracts/bank" "GXC" true'],
    run: async (wallet, args) => {
      check(!wallet.ring.isLocked, KEYSTORE_ERRORS.wallet_locked_self);
      const { code, abi } = readContract(args.contract_dir);
      const account = await wallet.chain.account(args.account);
      const operation = operationOf(contractDeployOperation, {
        name: args.name,
        account: account.id,
        vm_type: args.vm_type,
        vm_version: args.vm_version,
        code,
        abi,
      });
      return act(wallet, [operation], {
        feeAsset: await feeAsset(wallet, args.fee_asset_symbol),
        broadcast: args.broadcast,
      });
    },
  }),
  update_contract: command({
    params: { contract: text, new_owner: optional(text), contract_dir: text, ...FEE_AND_BROADCAST },
    result: SIGNED_TRANSACTION,
    acts: true,
    help: 'Replaces the code of a contract, and with a name its owner.',
    run: async (wallet, args) => {
      check(!wallet.ring.isLocked, KEYSTORE_ERRORS.wallet_locked_self);
      const contract = await wallet.chain.account(args.contract);
      const owner = args.new_owner === undefined || args.new_owner === '' ? undefined : args.new_owner;
      const newOwner = owner === undefined ? undefined : (await wallet.chain.account(owner)).id;
      const { code, abi } = readContract(args.contract_dir);
      const operation = operationOf(contractUpdateOperation, {
        owner: contract.registrar,
        new_owner: newOwner,
        contract: contract.id,
        code,
        abi,
      });
      return act(wallet, [operation], {
        feeAsset: await feeAsset(wallet, args.fee_asset_symbol),
        feesByNode: true,
        broadcast: args.broadcast,
      });
    },
  }),
  call_contract: command({
    params: {
      account: text,
      contract: text,
      amount: optional(asset),
      method: text,
      args: text,
      ...FEE_AND_BROADCAST,
    },
    result: SIGNED_TRANSACTION,
    acts: true,
    help: 'Calls a method of a contract with arguments as JSON by its ABI, and with an amount pays it.',
    examples: ['call_contract "bob" "my-bank" {"amount":100000,"asset_id":"1.3.1"} "deposit" "{}" "GXC" true'],
    run: async (wallet, args) => {
      check(!wallet.ring.isLocked, KEYSTORE_ERRORS.wallet_locked_self);
      const caller = await wallet.chain.account(args.account);
      const contract = await wallet.chain.account(args.contract);
      const codec = new AbiCodec(abiOf(wallet, contract), wallet.network);
      codec.action(args.method, args.contract);
      check(args.args !== '', CHECK_ERRORS.contract_no_text);
      const operation = operationOf(contractCallOperation, {
        account: caller.id,
        contract_id: contract.id,
        amount: args.amount,
        method_name: nameFromText(args.method),
        data: codec.packAction(args.method, parseJson(args.args), args.contract),
      });
      return act(wallet, [operation], {
        feeAsset: await feeAsset(wallet, args.fee_asset_symbol),
        feesByNode: true,
        broadcast: args.broadcast,
      });
    },
  }),
  get_contract_tables: command({
    params: { contract: text },
    result: 'variant',
    help: 'The names of the tables of a contract.',
    run: (wallet, { contract }) => wallet.chain.ask('get_contract_tables', contract),
  }),
  get_table_rows_ex: command({
    params: { contract: text, table: text, params: rowsParams },
    result: 'get_table_rows_result',
    help: 'Rows of a table of a contract: {"lower_bound":0,"upper_bound":-1,"limit":10,"index_position":1,"reverse":false}.',
    run: async (wallet, { contract, table, params }) => {
      check(params.limit > 0n, CHECK_ERRORS.table_bounds_wrong);
      const account = await wallet.chain.account(contract);
      check(tablesOf(wallet, account).includes(table), CHECK_ERRORS.table_unknown, { contract });
      return wallet.chain.ask('get_table_rows_ex', contract, table, rowsParams.toJson(params));
    },
  }),
  get_table_rows: command({
    params: { contract: text, table: text, start: u64, limit: u64 },
    result: 'get_table_rows_result',
    help: 'Rows of a table of a contract whose keys lie from start on and below start + limit.',
    run: async (wallet, { contract, table, start, limit }) => {
      check(limit > 0n, CHECK_ERRORS.table_start_wrong);
      const account = await wallet.chain.account(contract);
      check(tablesOf(wallet, account).includes(table), CHECK_ERRORS.table_unknown_by_number, { contract });
      return wallet.chain.ask('get_table_rows', contract, table, u64.toJson(start), u64.toJson(limit));
    },
  }),
} satisfies CommandTable;
