import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import '../../src/operations/index.js';
import { Chain } from '../../src/chain/chain.js';
import { readGenesis } from '../../src/chain/genesis-source.js';
import { MemoryBlockStore } from '../../src/chain/memory-block-store.js';
import { encodeWith } from '../../src/codec/binary.js';
import type { JsonObject } from '../../src/codec/json.js';
import { signatureDigest, tapos } from '../../src/crypto/digests.js';
import { PrivateKey } from '../../src/crypto/private-key.js';
import { signatureBackend } from '../../src/crypto/signature.js';
import type { OperationBody } from '../../src/protocol/operation-slot.js';
import { transaction } from '../../src/protocol/transaction.js';
import { accountObject } from '../../src/state/objects/account.js';
import { balanceObject } from '../../src/state/objects/balance.js';
import { globalPropertyObject } from '../../src/state/objects/global-property.js';
import { witnessObject } from '../../src/state/objects/witness.js';
import { balanceOf } from '../../src/state/rules/balances.js';
import { chainContractEngine } from '../../src/vm/chain-engine.js';
import { contractKeys } from '../../src/vm/keys.js';
import { commandLine } from '../support/command-line.js';
import { NETWORK } from '../support/network.js';
import { operationByName } from '../support/operation-by-name.js';
import { projectPath } from '../support/paths.js';

function folder(t: Test): string {
  const path = mkdtempSync(join(tmpdir(), 'trustnode-genesis-'));
  t.teardown(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

const template = (): JsonObject =>
  JSON.parse(readFileSync(projectPath('genesis', 'private.json'), 'utf8')) as JsonObject;

t.test('the README names the chain ids of the files', async (t) => {
  const readme = readFileSync(projectPath('genesis', 'README.md'), 'utf8');
  for (const name of ['dev.json', 'private.json', 'mainnet.json', 'testnet.json']) {
    const { chainId } = readGenesis(readFileSync(projectPath('genesis', name)));
    t.match(readme, new RegExp(`\\| .${name}. \\| .${chainId}.`), name);
  }
});

t.test('private.json: a chain that begins years later, with money from block 1 on', async (t) => {
  const genesis = readGenesis(readFileSync(projectPath('genesis', 'private.json')));
  t.ok(genesis.file.initial_timestamp <= 1_541_433_600, 'nodes of the reference can begin it');
  const chain = new Chain({
    genesis,
    engine: chainContractEngine(contractKeys(NETWORK)),
    blocks: new MemoryBlockStore(),
  });
  const { queries } = chain;
  const key = PrivateKey.fromSeed('trustnode private treasury');
  const treasury = queries.state.findBy(accountObject.by.name, 'treasury')?.id ?? -1;
  t.ok(queries.state.findBy(accountObject.by.name, 'ram-account'));
  const [balance] = [...queries.state.all(balanceObject)];
  t.ok(balance);
  const claim = operationByName('balance_claim');
  const body = {
    ...claim?.schema.default(),
    deposit_to_account: treasury,
    balance_to_claim: balance?.id,
    balance_owner_key: key.publicKey,
    total_claimed: balance?.balance,
  } as unknown as OperationBody;
  const unsigned = {
    ...tapos(queries.head.id),
    expiration: queries.head.time + 600,
    operations: [[37, body] as [number, OperationBody]],
    extensions: [],
  };
  const digest = encodeWith(transaction, unsigned, (bytes) => signatureDigest(queries.chainId, bytes));
  chain.pending.push({ transaction: { ...unsigned, signatures: [signatureBackend().sign(digest, key)] } });
  const today = 1_750_000_000;
  for (let i = 0; i < 40; i++) {
    const when = queries.slotTime(i === 0 ? queries.slotAt(today) : 1);
    const witness = queries.scheduledWitness(queries.slotAt(when));
    const owner = queries.state.get(accountObject, queries.state.get(witnessObject, witness).witness_account).name;
    const signing = PrivateKey.fromSeed(`trustnode private ${owner} signing`);
    const sign = (bytes: Uint8Array): Uint8Array => signatureBackend().sign(bytes, signing);
    chain.blocks.produce({ when, witness, signer: { publicKey: signing.publicKey, sign } });
  }
  t.equal(queries.head.number, 40);
  t.equal(queries.state.coreAsset, 1);
  t.equal(balanceOf(queries.state, treasury, 1), 10_000_000_000_000n);
  t.equal(queries.state.single(globalPropertyObject).active_witnesses.length, 11);
  t.ok(queries.head.irreversible > 25, `irreversible ${queries.head.irreversible}`);
});

t.test('check refuses nonsense with the name of the field', async (t) => {
  const path = join(folder(t), 'genesis.json');
  const cases: [string, RegExp, (file: JsonObject) => void][] = [
    ['no time', /initial_timestamp/, (file) => delete file.initial_timestamp],
    ['odd time', /initial_timestamp/, (file) => (file.initial_timestamp = '2018-01-01T00:00:01')],
    ['no witness', /initial_witness_candidates/, (file) => (file.initial_witness_candidates = [])],
    ['too many active', /initial_active_witnesses/, (file) => (file.initial_active_witnesses = 12)],
    ['even minimum', /min_witness_count/, (file) => ((file.immutable_parameters as JsonObject).min_witness_count = 10)],
    [
      'bad key',
      /initial_accounts\[0\].owner_key/,
      (file) => (((file.initial_accounts as JsonObject[])[0] as JsonObject).owner_key = 'GXCxyz'),
    ],
    [
      'unknown issuer',
      /initial_assets\[0\].issuer_name/,
      (file) => (((file.initial_assets as JsonObject[])[0] as JsonObject).issuer_name = 'nobody'),
    ],
    [
      'account twice',
      /initial_accounts\[1\].name/,
      (file) => (((file.initial_accounts as JsonObject[])[1] as JsonObject).name = 'init0'),
    ],
    ['unknown fork', /there is no fork HF_1/, (file) => ((file.network as JsonObject).forks = { HF_1: 0 })],
    ['not JSON', /JSON/, () => undefined],
  ];
  for (const [what, expected, change] of cases) {
    const file = template();
    change(file);
    writeFileSync(path, what === 'not JSON' ? '{"initial' : JSON.stringify(file));
    const { code, stderr, stdout } = await commandLine(['genesis', 'check', path]);
    t.equal(code, 1, what);
    t.match(stderr, expected, what);
    t.equal(stdout, '', what);
  }
  const missing = await commandLine(['genesis', 'check', join(path, 'nowhere')]);
  t.equal(missing.code, 1);
  t.match(missing.stderr, /storage_(missing|io)/);
});

t.test('create: new keys every time, kept for the owner alone; nothing is replaced by accident', async (t) => {
  const path = join(folder(t), 'net.json');
  const first = await commandLine(['genesis', 'create', path, '--json', '--witnesses', '3', '--account', 'alice']);
  t.equal(first.code, 0, first.stderr);
  const facts = JSON.parse(first.stdout) as JsonObject;
  t.match(facts, { witnesses: 3, active_witnesses: 1, accounts: 6 + 3 + 1 + 2, notes: [] });
  t.equal(statSync(facts.keys as string).mode & 0o777, 0o600);
  const keys = JSON.parse(readFileSync(facts.keys as string, 'utf8')) as { name: string; wif: string }[];
  t.ok(keys.some(({ name, wif }) => name === 'alice' && PrivateKey.fromWif(wif).toWif() === wif));
  const checked = await commandLine(['genesis', 'check', path, '--json']);
  t.equal((JSON.parse(checked.stdout) as JsonObject).chain_id, facts.chain_id);
  const again = await commandLine(['genesis', 'create', path]);
  t.equal(again.code, 1);
  t.match(again.stderr, /genesis_file_exists/);
  const forced = await commandLine(['genesis', 'create', path, '--json', '--force', '--witnesses', '3']);
  t.not((JSON.parse(forced.stdout) as JsonObject).chain_id, facts.chain_id);
  const late = await commandLine(['genesis', 'create', join(path, '..', 'late.json'), '--timestamp', 'now']);
  t.equal(late.code, 1);
  t.match(late.stderr, /needs --all-forks/);
  const seeded = join(path, '..', 'seeded.json');
  await commandLine(['genesis', 'create', seeded, '--seed', 'trustnode private', '--name', 'private network']);
  t.ok(
    readFileSync(seeded).equals(readFileSync(projectPath('genesis', 'private.json'))),
    'private.json is made like this',
  );
});

t.test('create: where the keys cannot be written, no genesis file of theirs is', async (t) => {
  const path = join(folder(t), 'net.json');
  await commandLine(['genesis', 'create', path, '--witnesses', '3']);
  const before = readFileSync(path);
  const keys = path.replace('.json', '.keys.json');
  rmSync(keys);
  mkdirSync(keys);
  const failed = await commandLine(['genesis', 'create', path, '--force', '--witnesses', '3']);
  t.equal(failed.code, 1);
  t.match(failed.stderr, /storage_/);
  t.ok(readFileSync(path).equals(before));
});
