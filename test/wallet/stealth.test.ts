import { readFileSync } from 'node:fs';
import t from 'tap';
import { fromHex, toHex } from '../../src/base/bytes.js';
import { RpcConnectionError, RpcError } from '../../src/client/connection.js';
import { encode } from '../../src/codec/binary.js';
import type { Json, JsonObject } from '../../src/codec/json.js';
import { blind, blindSum } from '../../src/crypto/blind.js';
import { sharedPointX } from '../../src/crypto/memo.js';
import { PrivateKey } from '../../src/crypto/private-key.js';
import { verifyRange } from '../../src/crypto/range-proof.js';
import { signatureBackend } from '../../src/crypto/signature.js';
import { publicKey } from '../../src/protocol/keys.js';
import { blindOutput } from '../../src/protocol/operations/transfers.js';
import { runCommand } from '../../src/wallet/commands/index.js';
import { NODE_ERRORS, STEALTH_ERRORS } from '../../src/wallet/errors.js';
import { type NodeLink, nodeError } from '../../src/wallet/node-link.js';
import {
  checkNumber,
  childPrivateKey,
  childPublicKey,
  commonSecret,
  derivedFactor,
  makeOutput,
  openMemo,
  parseReceipt,
  receiptText,
  sealMemo,
} from '../../src/wallet/stealth/outputs.js';
import { blindMemo } from '../../src/wallet/stealth/receipt.js';
import { NETWORK } from '../support/network.js';
import { refusedLater } from '../support/refused.js';
import { recordedCalls } from '../support/wallet-vectors.js';
import { linkTo, openRecorded, recordedChain } from './support/frozen.js';

const chain = recordedChain();
const node = linkTo(chain);
/** What becomes of what is sent. */
let sending: 'answered' | 'answer lost' | 'never sent' = 'answered';
/** Run when something is about to be sent. */
let beforeSending = (): void => undefined;
const link: NodeLink = {
  call: async (api, method, params) => {
    if (api !== 'network_broadcast') return node.call(api, method, params);
    beforeSending();
    if (sending === 'never sent') throw nodeError(new RpcError({ message: 'refused' }));
    const answer = await node.call(api, method, params);
    if (sending === 'answer lost') throw nodeError(new RpcConnectionError('the connection was closed'));
    return answer;
  },
};
const frozen = await openRecorded('10-frozen-start.json', link, 1_795_293_900_000);
t.teardown(frozen.remove);
const { wallet } = frozen;
wallet.ring.unlock('supersecret');
const run = async <T = Json>(name: string, ...params: Json[]): Promise<T> =>
  (await runCommand(wallet, name, params)).result as T;

interface Shown {
  readonly label: string;
  readonly decrypted_memo: JsonObject;
  readonly confirmation_receipt: string;
}

/** Every receipt that was recorded, with what the reference showed of it. */
const recorded = recordedCalls().flatMap(
  ({ result }) => ((result as JsonObject | undefined)?.outputs ?? []) as unknown as Shown[],
);

t.test('the worked example', (t) => {
  const key = PrivateKey.fromBytes(fromHex('9e5de25d513b2d0a24c6da3c31a00cdeb2c4e69e2f082b2ff0560bfaa07644be'));
  const oneTime = '02e2d892cf3ff0072b40d216b502cabe19fba1774942444cfdab63f961c8aa872f';
  t.equal(key.publicKey, '02eb13a8d141eb6964d333502f3fed04bfb36962c84e186eaf96ddd1e3a65b1558');
  t.equal(toHex(sharedPointX(key, oneTime)), '1eff3c83caf2922c4b433fc33ffeb7b29421e0c9d9f535b71ba7aa05aba40abc');
  const secret = commonSecret(key, oneTime);
  t.equal(
    toHex(secret.shared),
    'd112a50d0a9e73b4e9d0e6acaaa7c03ff8feeca8a10b898f97e1ab3f6d618f6911eed2f1527d2bfe2155c8166117c280be4ba3a9e1d3eb951e0d755a951970d4',
  );
  t.equal(toHex(secret.child), '505c9c8d893de16474f5144ee18e9f0cefa433c28237e6b3ef110269f767563f');
  const factor = derivedFactor(secret);
  t.equal(toHex(factor), 'f611e0b225881b744f3d7c644e80ad99100d099d3e9834a473043b11a4a5d38f');
  const child = '02153f847caf245d5362a7d27bee2a58c3cc1c93cb9c9509724a5ed7e186c6f1f0';
  t.equal(childPublicKey(key.publicKey, secret), child);
  t.equal(
    toHex(childPrivateKey(key, secret).secret()),
    '3a9e2a904d48019651d0fd06925a274c10d6854cecfeb15a258da0e7a5f7f266',
  );
  t.equal(childPrivateKey(key, secret).publicKey, child);
  const commitment = '026e232e16eac86c1b111ee80d7adde6c2ffc778b6f8962e97e38d0304283760ac';
  t.equal(blind(factor, 1_000_000n), commitment);
  t.equal(checkNumber(secret), 228_922_065);
  const memo = {
    from: undefined,
    amount: { amount: 1_000_000n, asset_id: 1 },
    blinding_factor: toHex(factor),
    commitment,
    check: 228_922_065,
  };
  t.equal(toHex(encode(blindMemo, memo)), `0040420f000000000001${toHex(factor)}${commitment}d112a50d`);
  t.same(openMemo(sealMemo(memo, secret), secret), memo);
  const change = blindSum(
    [
      fromHex('e0462dfad691f153fb648c2707e91a8cf48f093869424688ec2e2b7d93ff53e2'),
      fromHex('cb2f78dbf0df62eb139eb31e56f40f558d6ce76a5a66df9e211904f1bfb7c271'),
    ],
    1,
  );
  t.equal(toHex(change), '1516b51ee5b28e68e7c5d908b0f50b37672221ce0edb66eacb15268bd4479171', 'the factor of a change');
  t.end();
});

t.test('receipts of the reference open here, and are written to the same text', (t) => {
  let opened = 0;
  for (const { decrypted_memo, confirmation_receipt, label } of recorded) {
    const receipt = parseReceipt(`  ${confirmation_receipt} `);
    t.equal(receiptText(receipt), confirmation_receipt);
    const key = receipt.to === undefined ? undefined : wallet.ring.find(receipt.to);
    if (key === undefined) continue;
    const secret = commonSecret(key, receipt.one_time_key);
    const memo = openMemo(receipt.encrypted_memo, secret);
    t.same(blindMemo.toJson(memo, NETWORK), decrypted_memo, label);
    t.equal(memo.check, checkNumber(secret));
    t.same(sealMemo(memo, secret), receipt.encrypted_memo, 'sealed again the same');
    opened++;
  }
  t.ok(opened >= 6, `${opened} receipts`);
  for (const { conf, data, control_authority } of wallet.data.blind_receipts) {
    const key = wallet.ring.get(conf.to ?? '');
    const child = childPrivateKey(key, commonSecret(key, conf.one_time_key));
    t.equal(control_authority.key_auths[0]?.[0], child.publicKey, data.commitment);
    t.ok(wallet.ring.has(child.publicKey), 'the file holds the key that spends it');
  }
  t.end();
});

t.test('an output of ours opens for its receiver alone', (t) => {
  const receiver = PrivateKey.fromSeed('receiver');
  const made = makeOutput({
    oneTime: PrivateKey.fromSeed('one time'),
    to: receiver.publicKey,
    amount: { amount: 5n, asset_id: 1 },
  });
  const receipt = parseReceipt(receiptText(made.confirmation));
  const secret = commonSecret(receiver, receipt.one_time_key);
  t.same(openMemo(receipt.encrypted_memo, secret), made.memo);
  t.equal(made.output.owner.key_auths[0]?.[0], childPrivateKey(receiver, secret).publicKey);
  const other = commonSecret(PrivateKey.fromSeed('other'), receipt.one_time_key);
  t.throws(() => openMemo(receipt.encrypted_memo, other));
  t.end();
});

t.test('what is damaged or foreign is refused', async (t) => {
  const [first] = recorded.filter(({ label }) => label === 'bb1');
  const receipt = parseReceipt(first?.confirmation_receipt ?? '');
  const foreign = receiptText({ ...receipt, to: PrivateKey.fromSeed('nobody here').publicKey });
  await refusedLater(t, STEALTH_ERRORS.receipt_no_key, run('receive_blind_transfer', foreign, '', ''));
  await refusedLater(
    t,
    STEALTH_ERRORS.receipt_no_receiver,
    run('receive_blind_transfer', receiptText({ ...receipt, to: undefined }), '', ''),
  );
  const before = wallet.data.blind_receipts.length;
  // Without a payer's key in the memo no change of a single bit passes.
  for (let bit = 0; bit < 8 * receipt.encrypted_memo.length; bit += 7) {
    const encrypted_memo = Uint8Array.from(receipt.encrypted_memo);
    encrypted_memo[bit >> 3] = (encrypted_memo[bit >> 3] as number) ^ (1 << (bit & 7));
    await t.rejects(run('receive_blind_transfer', receiptText({ ...receipt, encrypted_memo }), '', ''), `bit ${bit}`);
  }
  t.equal(wallet.data.blind_receipts.length, before);
  await refusedLater(t, STEALTH_ERRORS.blind_nothing, run('transfer_to_blind', 'alice', 'GXS', [], false));
  await refusedLater(t, STEALTH_ERRORS.blind_amount, run('transfer_to_blind', 'alice', 'GXS', [['bb1', '0']], false));
  await refusedLater(
    t,
    STEALTH_ERRORS.blind_key_missing,
    run('transfer_to_blind', 'alice', 'GXS', [['nolabel', '1']], false),
  );
});

async function balance(label: string): Promise<number> {
  const all = await run<{ amount: number; asset_id: string }[]>('get_blind_balances', label);
  return all.find(({ asset_id }) => asset_id === '1.3.1')?.amount ?? 0;
}

t.test('into blinded balances, between them, and out again', async (t) => {
  const [one, two] = [await balance('bb1'), await balance('bb2')];
  const paid = await run<{ trx: JsonObject; outputs: JsonObject[] }>(
    'transfer_to_blind',
    'alice',
    'GXS',
    [
      ['bb1', '100'],
      ['bb2', '50.5'],
    ],
    true,
  );
  t.equal(await balance('bb1'), one + 10_000_000);
  t.equal(await balance('bb2'), two + 5_050_000);
  const [[, body]] = paid.trx.operations as [[number, { outputs: Json[] }]];
  for (const output of body.outputs) {
    const { commitment, range_proof } = blindOutput.fromJson(output, NETWORK);
    t.match(verifyRange(signatureBackend().curve, commitment, range_proof), { minValue: 0n, exponent: 0 });
  }

  const moved = await runCommand(wallet, 'blind_transfer', ['bb1', 'bb2', '30', 'GXS', true]);
  t.match(await moved.show(), /^blind_transfer_operation temp-account fee: 15 GXS\n\S+ GXS to {2}bb1\n\t {2}receipt: /);
  t.equal(await balance('bb1'), one + 10_000_000 - 3_000_000 - 1_500_000, 'the fee comes out of what is left');
  t.equal(await balance('bb2'), two + 5_050_000 + 3_000_000);

  const before = await run<JsonObject[]>('list_account_balances', 'bob');
  await run('transfer_from_blind', 'bb2', 'bob', '20', 'GXS', true);
  const after = await run<JsonObject[]>('list_account_balances', 'bob');
  const core = (list: JsonObject[]): bigint =>
    BigInt(String(list.find(({ asset_id }) => asset_id === '1.3.1')?.amount ?? 0));
  t.equal(core(after) - core(before), 2_000_000n);
  t.equal(await balance('bb2'), two + 8_050_000 - 2_000_000 - 1_500_000 - 500_000, 'both fees come out of it');

  // Exactly what is there: one output, without a proof.
  const rest = await balance('bb1');
  const all = await run<{ outputs: JsonObject[]; trx: JsonObject }>(
    'blind_transfer',
    'bb1',
    'bb2',
    ((rest - 1_500_000) / 100_000).toFixed(5),
    'GXS',
    true,
  );
  t.equal(all.outputs.length, 1);
  t.equal(await balance('bb1'), 0);
  await refusedLater(t, STEALTH_ERRORS.blind_balance, run('blind_transfer', 'bb1', 'bb2', '1', 'GXS', true));
});

t.test('receipts are kept before anything is sent, and go only with what was refused', async (t) => {
  const foreign = PrivateKey.fromSeed('somebody else');
  const foreignKey = publicKey.toJson(foreign.publicKey, NETWORK) as string;
  const commitments = (): Set<string> => new Set(wallet.data.blind_receipts.map(({ data }) => data.commitment));
  const onDisk = (): number => JSON.parse(readFileSync(wallet.file, 'utf8')).blind_receipts.length;
  let known = commitments();
  const payments: readonly (readonly [own: number, name: string, ...params: Json[]])[] = [
    [
      1,
      'transfer_to_blind',
      'alice',
      'GXS',
      [
        ['bb1', '100'],
        [foreignKey, '7'],
      ],
      true,
    ],
    [1, 'blind_transfer', 'bb1', foreignKey, '30', 'GXS', true],
    [1, 'transfer_from_blind', 'bb1', 'bob', '20', 'GXS', true],
  ];
  t.teardown(() => {
    beforeSending = () => undefined;
    sending = 'answered';
  });
  for (const [own, name, ...params] of payments) {
    sending = 'never sent';
    beforeSending = () => t.equal(onDisk(), known.size + own, `${name}: in the file before it is sent`);
    await refusedLater(t, NODE_ERRORS.node_refused, run(name, ...params), name);
    t.same(commitments(), known, `${name}: a refused one leaves none`);
    t.equal(onDisk(), known.size);

    sending = 'answer lost';
    const before = await balance('bb1');
    const error: unknown = await run(name, ...params).catch((thrown: unknown) => thrown);
    t.match(error, { row: NODE_ERRORS.node_gone }, name);
    t.not(await balance('bb1'), before, `${name}: it had arrived`);
    t.equal(commitments().size, known.size + own, `${name}: what is left is not lost with the answer`);
    known = commitments();
    const { receipts } = (error as { data: { receipts: [string, string][] } }).data;
    for (const [label, text] of receipts.filter(([one]) => one === foreignKey)) {
      const receipt = parseReceipt(text);
      const memo = openMemo(receipt.encrypted_memo, commonSecret(foreign, receipt.one_time_key));
      t.ok(memo.amount.amount > 0n, `${name}: nor is what ${label} needs`);
    }
  }
  t.ok((await balance('bb1')) > 0);
});
