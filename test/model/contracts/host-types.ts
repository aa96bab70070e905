/**
 * The host functions as the texts have them: what each takes, and what it gives. `P` is a pointer with a length, `R8` a
 * pointer to so many bytes, `Z` one to a text that ends with a zero, `q` the upper half of a float of 128 bits; the other
 * words say what a number means.
 */
const FUNCTIONS = {
  action_data_size: '> n',
  read_action_data: 'P > n',
  current_receiver: '> l',
  get_action_asset_id: '> l',
  get_action_asset_amount: '> l',
  send_inline: 'P >',
  transaction_size: '> n',
  read_transaction: 'P > n',
  expiration: '> l',
  tapos_block_num: '> n',
  tapos_block_prefix: '> l',
  get_head_block_num: '> l',
  get_head_block_id: 'R20 >',
  get_head_block_time: '> l',
  get_block_id_for_num: 'R20 num >',
  get_trx_sender: '> l',
  get_trx_origin: '> l',
  get_account_id: 'P > l',
  get_account_name_by_id: 'P account > l',
  get_asset_id: 'P > l',
  get_asset_precision: 'P > l',
  get_balance: 'account asset > l',
  withdraw_asset: 'self account asset amount >',
  inline_transfer: 'self account asset amount P >',
  sha1: 'P R20 >',
  ripemd160: 'P R20 >',
  sha256: 'P R32 >',
  sha512: 'P R64 >',
  assert_sha1: 'P R20 >',
  assert_ripemd160: 'P R20 >',
  assert_sha256: 'P R32 >',
  assert_sha512: 'P R64 >',
  assert_recover_key: 'R32 R65 P >',
  verify_signature: 'P R65 P > n',
  abort: '>',
  graphene_assert: 'cond Z >',
  graphene_assert_message: 'cond P >',
  graphene_assert_code: 'cond l >',
  graphene_exit: 'n >',
  memcpy: 'to from size > n',
  memmove: 'to from size > n',
  memset: 'to n size > n',
  memcmp: 'to from size > n',
  prints: 'Z >',
  prints_l: 'P >',
  printi: 'l >',
  printui: 'l >',
  printi128: 'R16 >',
  printui128: 'R16 >',
  printsf: 'f >',
  printdf: 'd >',
  printqf: 'R16 >',
  printn: 'l >',
  printhex: 'P >',
  db_store_i64: 'scope table payer id P > it',
  db_update_i64: 'it payer P >',
  db_remove_i64: 'it >',
  db_get_i64: 'it P > n',
  db_next_i64: 'it R8 > it',
  db_previous_i64: 'it R8 > it',
  db_find_i64: 'code scope table id > it',
  db_lowerbound_i64: 'code scope table id > it',
  db_upperbound_i64: 'code scope table id > it',
  db_end_i64: 'code scope table > it',
  db_idx64_store: 'scope table payer id R8 > it2',
  db_idx64_update: 'it2 payer R8 >',
  db_idx64_remove: 'it2 >',
  db_idx64_find_secondary: 'code scope table R8 R8 > it2',
  db_idx64_find_primary: 'code scope table R8 id > it2',
  db_idx64_lowerbound: 'code scope table R8 R8 > it2',
  db_idx64_upperbound: 'code scope table R8 R8 > it2',
  db_idx64_end: 'code scope table > it2',
  db_idx64_next: 'it2 R8 > it2',
  db_idx64_previous: 'it2 R8 > it2',
  __ashlti3: 'R16 l l bits >',
  __lshlti3: 'R16 l l bits >',
  __lshrti3: 'R16 l l bits >',
  __ashrti3: 'R16 l l bits >',
  __multi3: 'R16 l l l l >',
  __divti3: 'R16 l l l l >',
  __modti3: 'R16 l l l l >',
  __udivti3: 'R16 l l l l >',
  __umodti3: 'R16 l l l l >',
  __addtf3: 'R16 l q l q >',
  __subtf3: 'R16 l q l q >',
  __multf3: 'R16 l q l q >',
  __divtf3: 'R16 l q l q >',
  __negtf2: 'R16 l q >',
  __eqtf2: 'l q l q > n',
  __netf2: 'l q l q > n',
  __letf2: 'l q l q > n',
  __cmptf2: 'l q l q > n',
  __lttf2: 'l q l q > n',
  __gttf2: 'l q l q > n',
  __getf2: 'l q l q > n',
  __unordtf2: 'l q l q > n',
  __floatsitf: 'R16 n >',
  __floatunsitf: 'R16 n >',
  __floatditf: 'R16 l >',
  __floatunditf: 'R16 l >',
  __floattidf: 'l l > d',
  __floatuntidf: 'l l > d',
  __floatsidf: 'n > d',
  __extendsftf2: 'R16 f >',
  __extenddftf2: 'R16 d >',
  __trunctfdf2: 'l q > d',
  __trunctfsf2: 'l q > f',
  __fixtfsi: 'l q > n',
  __fixtfdi: 'l q > l',
  __fixunstfsi: 'l q > n',
  __fixunstfdi: 'l q > l',
  __fixtfti: 'R16 l q >',
  __fixunstfti: 'R16 l q >',
  __fixsfti: 'R16 f >',
  __fixdfti: 'R16 d >',
  __fixunssfti: 'R16 f >',
  __fixunsdfti: 'R16 d >',
} as const;

export type HostName = keyof typeof FUNCTIONS;
export type WasmType = 'i32' | 'i64' | 'f32' | 'f64';

export interface HostType {
  readonly name: HostName;
  /** What is passed; a pointer with its length is one of these, and two numbers. */
  readonly takes: readonly string[];
  readonly gives: string;
}

const WIDE = new Set('l q code scope table payer id account asset amount self'.split(' '));

export function wasmTypes(kind: string): readonly WasmType[] {
  if (kind === '') return [];
  if (kind === 'P') return ['i32', 'i32'];
  if (kind === 'f') return ['f32'];
  if (kind === 'd') return ['f64'];
  return WIDE.has(kind) ? ['i64'] : ['i32'];
}

export const HOST: readonly HostType[] = Object.entries(FUNCTIONS).map(([name, words]) => {
  const [takes = '', gives = ''] = words.split('>').map((part) => part.trim());
  return { name: name as HostName, takes: takes.split(' ').filter((word) => word !== ''), gives };
});
