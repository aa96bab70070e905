import { check, defineErrors, fail } from '../../base/errors.js';
import type { HostCall } from '../host-call.js';
import { checkInstance } from '../instance.js';
import { host } from './define.js';

export const CHAIN_HOST_ERRORS = defineErrors({
  contract_block_num: {
    text: 'block_num to large, can not big than head block num:${head}',
  },
  contract_block_missing: { kind: 'limit', text: 'block ${num} is not in the block store' },
  /** Not as above: no node has it, and a proposal that asks for it has failed. */
  contract_block_under_way: {
    text: 'block ${num} is not in the block store',
    hint: 'a block is stored when all of it has been applied',
  },
  contract_account_negative: { text: 'account_id >= 0: account_id ${i} must > 0' },
  contract_data_length: { text: 'datalen > 0: datalen must > 0' },
  contract_asset_precision_disabled: { text: 'false: get_asset_precision can not be used' },
});

/** Bytes as characters: names and symbols are ASCII, anything else is simply not found. */
function text(call: HostCall, pointer: number, length: number): string {
  const bytes = call.memory.slice(pointer, length);
  // No name is near this long.
  if (bytes.length > 256) return '';
  call.charge(2 * length);
  let out = '';
  for (let at = 0; at < bytes.length; at++) out += String.fromCharCode(bytes[at] as number);
  return out;
}

const idOrMissing = (id: number | undefined): bigint => (id === undefined ? -1n : BigInt(id));

export const CHAIN_FUNCTIONS = [
  host('get_head_block_num', '> I', 0, (call) => BigInt(call.host.chain.headBlockNum())),
  host('get_head_block_id', 'R20 >', 200, (call, out: number) =>
    call.memory.write(out, call.host.chain.headBlockId().subarray(0, 20)),
  ),
  host('get_head_block_time', '> I', 0, (call) => BigInt(call.host.chain.headBlockTimeSec())),
  host('get_block_id_for_num', 'R20 i >', 2000, (call, out: number, num: number) => {
    const { chain } = call.host;
    const head = chain.headBlockNum();
    check(num > 0 && num <= head, CHAIN_HOST_ERRORS.contract_block_num, { head });
    check(!chain.isBlockUnderWay(num), CHAIN_HOST_ERRORS.contract_block_under_way, { num });
    const id = chain.blockId(num) ?? fail(CHAIN_HOST_ERRORS.contract_block_missing, { num });
    call.memory.write(out, id.subarray(0, 20));
  }),
  host('get_trx_sender', '> I', 0, (call) => BigInt(call.action.sender)),
  host('get_trx_origin', '> I', 0, (call) => BigInt(call.session.origin)),
  host('get_account_id', 'P > I', 100, (call, pointer: number, length: number) =>
    idOrMissing(call.host.chain.accountByName(text(call, pointer, length))),
  ),
  host('get_account_name_by_id', 'P I > I', 300, (call, pointer: number, length: number, id: bigint) => {
    check(id >= 0n, CHAIN_HOST_ERRORS.contract_account_negative, { i: id });
    checkInstance(id);
    const name = call.host.chain.accountName(Number(id));
    if (name === undefined || name.length > length >>> 0) return -1n;
    call.memory.write(
      pointer,
      Uint8Array.from(name, (char) => char.charCodeAt(0)),
    );
    return 0n;
  }),
  host('get_asset_id', 'P > I', 100, (call, pointer: number, length: number) =>
    idOrMissing(call.host.chain.assetBySymbol(text(call, pointer, length))),
  ),
  host('get_asset_precision', 'P > I', 100, (call, pointer: number, length: number) => {
    const { rules, chain } = call.host;
    check(rules.asset_precision, CHAIN_HOST_ERRORS.contract_asset_precision_disabled);
    check(length !== 0, CHAIN_HOST_ERRORS.contract_data_length);
    const asset = chain.assetBySymbol(text(call, pointer, length));
    return asset === undefined ? -1n : idOrMissing(chain.assetPrecision(asset));
  }),
];
