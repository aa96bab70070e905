import type { Test } from 'tap';
import type { Json, JsonObject } from '../../../src/codec/json.js';
import { walletVector } from '../../support/wallet-vectors.js';
import type { CallOutcome, Way } from './frozen-session.js';

/**
 * Commands that do not occur in the sessions on the frozen chain, with what is known of their answers: most were
 * recorded while the chain was alive. In the order in which they are given, to an unlocked wallet on the frozen chain.
 */

interface Other {
  /** `n` numbers the ways, so that what one has sent is not in the way of the next. */
  params(n: number, made: JsonObject): Json[];
  /** Of the answer or the error as JSON. */
  readonly expected: RegExp;
}

const TRANSFER = {
  ref_block_num: 106,
  ref_block_prefix: 50384899,
  expiration: '2026-11-21T20:26:18',
  operations: [
    [
      0,
      {
        fee: { amount: 100000, asset_id: '1.3.1' },
        from: '1.2.22',
        to: '1.2.23',
        amount: { amount: 50000, asset_id: '1.3.1' },
        extensions: [],
      },
    ],
  ],
  extensions: [],
  signatures: [
    '1f3fa813d0457c7643b7375a6a73d54ff7628cee4cc097056e3ba33242ccc6064e3e213708a55f52d10de18830ea7afe174f49ec75e97158c041d22a101d7fba3e',
  ],
};
const PROXY = {
  from: '1.2.22',
  to: '1.2.23',
  proxy_account: '1.2.19',
  amount: { amount: 10000, asset_id: '1.3.1' },
  percentage: 1000,
  memo: 'memo1',
  expiration: '2026-12-01T00:00:00',
  signatures: [],
};
const RECEIPT =
  '246PEWTiQcGa6SiHK2VdUa5aXPaoMHDH7cdTHFYdJfnLTWe2XL63i2iFE9bHawAfNyeeTg6f8rqCp2x1k2TZYbd5mQo8Gzbti9RotppjX1g79YzrFRv2Ve5iUR4zaM7ZY94XGua4pjRTU2LDJ4eG71PoWqaJojSoWX9Y5TFZWteX1bN2GqKyi1wU2yBHDx99SHhAWRf9gk';
const KEY = 'GXC5VN4jSrEAdqKJdMBUMe3Q8fmEDmMZK3knUQqkCvFQgC1Nt3L5T';
const EXPORT = walletVector('files', 'export-keys.json');

/** Who pays whom in the trial of each way. */
const PAYERS = [
  ['1.2.22', '1.2.23'],
  ['1.2.23', '1.2.22'],
  ['1.2.19', '1.2.22'],
  ['1.2.22', '1.2.19'],
] as const;

const SEALED_FOR = 'GXC6MRyAjQq8ud7hVNYcfnVPJqcVpscN5So8BhtHuGYqET5GDW5CV';
const DONE = /^\{"result":null\}$/;
/** The frozen chain has no debug API and no peers: what the node says of it comes through. */
const OF_NODE = /^\{"error":\[0,"exception","unspecified","Assert Exception: /;
const SIGNED = /"signatures":\["[0-9a-f]{130}"/;
const PAIR = /^\{"result":\["[0-9a-f]{40}",\{"ref_block_num":465,/;

const same = (...params: Json[]) => ({ params: () => params });
/** With the transaction that was made before. */
const withMade = (...more: Json[]) => ({ params: (_: number, made: JsonObject) => [made, ...more] });

export const OTHERS: Readonly<Record<string, Other>> = {
  about: { ...same(), expected: /"client_version":"trustnode/ },
  help: { ...same(), expected: /signed_transaction +transfer\(string from, string to, / },
  gethelp: { ...same('transfer'), expected: /usage: transfer <from> <to> / },
  'rpc.discover': { ...same(), expected: /^\{"result":\{"openrpc":"1\./ },
  is_new: { ...same(), expected: /^\{"result":false\}$/ },
  get_global_properties: { ...same(), expected: /^\{"result":\{"id":"2\.0\.0","parameters":\{"current_fees":/ },
  get_block_by_id: {
    ...same('000000058ddb335eaf7e5311babf83559bf1f4c9'),
    expected: /^\{"result":\{"previous":"00000004e1e12a1b9a98abf11a9b7e10565da23a","timestamp":"2018-11-05T15:00:18"/,
  },
  get_data_transaction_product_costs: {
    ...same('2026-01-01T00:00:00', '2026-01-02T00:00:00'),
    expected: /^\{"result":0\}$/,
  },
  serialize_transaction: {
    ...same(TRANSFER as unknown as Json),
    expected:
      /"6a0003d000036afe016b0100a08601000000000001161750c300000000000001000000011f3fa813d0457c7643b7375a6a73d54ff7628cee4cc097056e3ba33242ccc6064e3e213708a55f52d10de18830ea7afe174f49ec75e97158c041d22a101d7fba3e"/,
  },
  serialize_proxy_transfer_params: {
    ...same(PROXY),
    expected: /"161713102700000000000001e803056d656d6f31000e0e6b00"/,
  },
  verify_proxy_transfer_signature: { ...same(PROXY, KEY), expected: /^\{"result":false\}$/ },
  suggest_brain_key: { ...same(), expected: /"brain_priv_key":"(?:[A-Z]+ ){15}[A-Z]+","wif_priv_key":"5/ },
  set_key_label: { ...same(KEY, 'lab-of-mine'), expected: /^\{"result":true\}$/ },
  create_blind_account: {
    ...same('ba-of-mine', 'blind brain key ONE'),
    expected: /"GXC5KCDpvF3mp6PkzKAEpvjYsXi1kQD2tCwVmFD4yqNXWNVMw14NB"/,
  },
  receive_blind_transfer: {
    ...same(RECEIPT, 'alice-label', 'opt memo'),
    expected: /"to_label":"bb1","amount":\{"amount":1000000,"asset_id":"1\.3\.1"\}.*"check":228922065/,
  },
  import_accounts: {
    ...same(EXPORT, 'exportpw'),
    expected: /\[\["dave",true\],\["erin",false\],\["grace",true\],\["not-on-chain",false\]\]/,
  },
  import_account_keys: { ...same(EXPORT, 'exportpw', 'dave', 'alice'), expected: /^\{"result":true\}$/ },
  import_keys: {
    ...same('nathan', ['5KQwrPbwdL6PhXujxW37FSSQZ1JiwsST4cqQzDeyXtP79zkvFD3']),
    expected: /^\{"result":\[false\]\}$/,
  },
  import_balance: { ...same('nathan', ['*'], false), expected: /"fee == asset\(\): "/ },
  save_wallet_file: { ...same(''), expected: DONE },
  load_wallet_file: { ...same('/no/such.json'), expected: /^\{"result":false\}$/ },
  network_add_nodes: { ...same(['127.0.0.1:1']), expected: OF_NODE },
  dbg_generate_blocks: { ...same('5KCAm8S7gEbUT6r2z8za2DP1PDSqESVChMHffyHtL9zGd9FwP41', 2), expected: OF_NODE },
  dbg_push_blocks: { ...same('/no/such/dir', 1), expected: OF_NODE },
  dbg_stream_json_objects: { ...same(''), expected: OF_NODE },
  dbg_update_object: { ...same({ _action: 'update', id: '1.2.19' }), expected: OF_NODE },
  staking_update: { ...same('1.2.22', '1.27.0', '1.6.3', false), expected: /"operations":\[\[81,\{.*"1\.27\.0"/ },
  upgrade_account_datasource: {
    ...same('merch', 'nathan', false),
    expected: /"proposed_ops":\[\{"op":\[46,\{.*"account_to_upgrade":"1\.2\.27","auth_referrer":"1\.2\.19"/,
  },
  propose_builder_transaction: {
    ...same(0, '2026-11-21T20:50:00', 0, false),
    expected: /"fee_paying_account":"1\.2\.0","expiration_time":"2026-11-21T20:50:00","proposed_ops":\[\]/,
  },
  remove_builder_transaction: { ...same(0), expected: DONE },
  prepare_transaction: {
    ...withMade('2026-11-21T21:44:00'),
    expected: /"expiration":"2026-11-21T21:44:00".*"signatures":\[\]/,
  },
  add_signatures: { ...withMade(false), expected: SIGNED },
  combine_signatures: { params: (_, made) => [[made, made]], expected: SIGNED },
  review_transaction: {
    ...withMade(),
    expected: /"operations":\["Transfer 0\.0000\d GXS from nathan to alice.*"is_complete":true/,
  },
  review_proposal: { ...same('1.10.11'), expected: /"id":"1\.10\.11","details":\[.*"required":\[/ },
  broadcast_transaction: { ...withMade(), expected: PAIR },
  get_transaction_status: { ...withMade(), expected: /"state":"waiting"/ },
  resend_transaction: { ...withMade(), expected: /"state":"waiting"/ },
  wait_for_transaction: { ...withMade('block', 0), expected: /"state":"waiting"/ },
  transfer2: { params: (n) => ['nathan', 'alice', `0.0001${n}`, 'GXS', ''], expected: PAIR },
  transfer_test: { params: (n) => [...(PAYERS[n] as [string, string]), 2], expected: DONE },
  flood_create_account: { params: (n) => [`way${n}x`, 1], expected: DONE },
  flood_transfer: { params: (n) => ['nathan', `way${n}x`, 1, 1], expected: DONE },
  flood_network: { params: (n) => [`way${n}y`, 3], expected: DONE },
  dbg_make_uia: { params: (n) => ['alice', `WAYTOK${'ABCDEFG'[n]}`], expected: DONE },
  // What they sign and seal is in wallet/data-exchange.
  sign_market_text: { ...same('nathan', 'hello'), expected: /^\{"error":\[.*market-v1\|1\.2\.\d+\|/ },
  sign_data_payment: { ...same({}), expected: /^\{"error":\[/ },
  seal_data: { ...same('nathan', SEALED_FOR, '1', 'a question'), expected: /^\{"result":"[0-9a-f]+"\}$/ },
  open_data: { ...same('nathan', SEALED_FOR, '1', '00'), expected: /^\{"error":\[/ },
  lock: { ...same(), expected: DONE },
  unlock: { ...same('supersecret'), expected: DONE },
  set_password: { ...same('another'), expected: DONE },
  is_locked: { ...same(), expected: /^\{"result":true\}$/ },
};

function resultOf(outcome: CallOutcome | undefined, what: string): Json {
  if (outcome !== undefined && 'result' in outcome) return outcome.result;
  throw new Error(`${what}: ${JSON.stringify(outcome)}`);
}

/** To a way that answers as programs are answered. */
export async function askOtherCommands(t: Test, way: Way, n: number): Promise<void> {
  const pair = resultOf(
    await way.call('transfer3', ['nathan', 'alice', `0.0000${n + 1}`, 'GXS', '', 'GXS', false]),
    'a transfer to be sent',
  );
  const [, made] = pair as [string, JsonObject];
  for (const [name, { params, expected }] of Object.entries(OTHERS)) {
    const outcome = await way.call(name, params(n, made));
    // At a prompt some show a text of their own.
    if (outcome !== undefined) t.match(JSON.stringify(outcome), expected, name);
  }
}
