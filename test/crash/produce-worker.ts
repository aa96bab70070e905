import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import '../../src/bin/arm-crash-point.js';
import '../../src/operations/index.js';
import { encodeWith } from '../../src/codec/binary.js';
import { signatureDigest, tapos } from '../../src/crypto/digests.js';
import type { PrivateKey } from '../../src/crypto/private-key.js';
import { signatureBackend } from '../../src/crypto/signature.js';
import { flushInBackground, openStoredChain } from '../../src/node/chain/stored-chain.js';
import type { Operation, OperationBody } from '../../src/protocol/operation-slot.js';
import { transaction } from '../../src/protocol/transaction.js';
import { accountObject } from '../../src/state/objects/account.js';
import { balanceObject } from '../../src/state/objects/balance.js';
import { proposalObject } from '../../src/state/objects/proposal.js';
import { witnessObject } from '../../src/state/objects/witness.js';
import { operationByName } from '../support/operation-by-name.js';
import { accountKey, witnessKey } from '../support/world-genesis.js';
import { CRASH_ACCOUNTS, crashGenesis, PROGRESS_FILE, progressRecord } from './crash-world.js';
import { quietLog } from './quiet-log.js';
import { seededRandom } from './random.js';

/**
 * A node that makes blocks as fast as it can, over a real data directory, with transfers, missed slots and changes of
 * branch, until somebody kills it. Arguments: data directory, seed, and `replay` to begin with a replay.
 */
const [dataDir = '', seedText = '1', mode = 'normal'] = process.argv.slice(2);
const random = seededRandom(Number(seedText));

const stored = await openStoredChain({
  dataDir,
  genesis: crashGenesis(),
  log: quietLog,
  start: mode === 'replay' ? 'replay' : 'normal',
  chain: { saveBlocks: 2 },
  flushLimits: { blocks: 20, objects: 100 },
});
const { chain, storage } = stored;
storage.flushLimits = { blocks: 4, objects: 40 };
flushInBackground(stored, (error) => {
  throw error;
});

const progress = openSync(join(dataDir, PROGRESS_FILE), 'w+');

function push(operations: readonly Operation[], key: PrivateKey): void {
  const { head, chainId } = chain.queries;
  const unsigned = {
    ...tapos(head.id),
    expiration: head.time + 600 + random(3000),
    operations: [...operations],
    extensions: [],
  };
  const digest = encodeWith(transaction, unsigned, (bytes) => signatureDigest(chainId, bytes));
  chain.pending.push({ transaction: { ...unsigned, signatures: [signatureBackend().sign(digest, key)] } });
}

function operation(name: string, fields: Record<string, unknown>): Operation {
  const definition = operationByName(name);
  if (definition === undefined) throw new Error(`no operation ${name}`);
  return [definition.tag, { ...definition.schema.default(), ...fields } as OperationBody];
}

const core = (amount: bigint): { amount: bigint; asset_id: number } => ({ amount, asset_id: 1 });
const idOf = (name: string): number => chain.queries.state.findBy(accountObject.by.name, name)?.id ?? 0;

function claimAll(): void {
  const { state } = chain.queries;
  for (const balance of [...state.all(balanceObject)]) {
    const owner = CRASH_ACCOUNTS[balance.id] as string;
    const fields = {
      fee: { amount: 0n, asset_id: 0 },
      deposit_to_account: idOf(owner),
      balance_to_claim: balance.id,
      balance_owner_key: accountKey(owner).publicKey,
      total_claimed: balance.balance,
    };
    push([operation('balance_claim', fields)], accountKey(owner));
  }
}

function transfer(): void {
  const from = random(CRASH_ACCOUNTS.length);
  const to = (from + 1 + random(CRASH_ACCOUNTS.length - 1)) % CRASH_ACCOUNTS.length;
  const [fromName, toName] = [CRASH_ACCOUNTS[from] as string, CRASH_ACCOUNTS[to] as string];
  const amount = core(BigInt(1 + random(1_000_000)));
  const fields = { fee: core(0n), from: idOf(fromName), to: idOf(toName), amount };
  push([operation('transfer', fields)], accountKey(fromName));
}

/** Executed at once by whoever pays, or by the chain when it expires: blocks say nothing of either. */
function propose(): void {
  const [payer, from] = [CRASH_ACCOUNTS[0], CRASH_ACCOUNTS[1]] as const;
  const amount = core(BigInt(1 + random(1000)));
  const op = operation('transfer', { fee: core(0n), from: idOf(from), to: idOf(payer), amount });
  const isReviewed = random(2) === 0;
  const proposal = chain.queries.state.nextInstance(proposalObject);
  const fields = {
    fee: core(0n),
    fee_paying_account: idOf(payer),
    expiration_time: chain.queries.head.time + 10 + random(60),
    review_period_seconds: isReviewed ? 5 : undefined,
    proposed_ops: [{ op }],
  };
  push([operation('proposal_create', fields)], accountKey(payer));
  const approval = { fee: core(0n), fee_paying_account: idOf(from), proposal, active_approvals_to_add: [idOf(from)] };
  push([operation('proposal_update', approval)], accountKey(from));
}

function produce(): void {
  const { queries } = chain;
  const when = queries.slotTime(random(10) === 0 ? 2 + random(3) : 1);
  const witness = queries.scheduledWitness(queries.slotAt(when));
  const account = queries.state.get(witnessObject, witness).witness_account;
  const key = witnessKey(queries.state.get(accountObject, account).name);
  const signer = { publicKey: key.publicKey, sign: (digest: Uint8Array) => signatureBackend().sign(digest, key) };
  chain.blocks.produce({ when, witness, signer });
  const { irreversible } = queries.head;
  writeSync(progress, progressRecord(irreversible, queries.blockIdOf(irreversible) ?? ''), 0);
}

for (;;) {
  if (chain.queries.head.number === 0) claimAll();
  else for (let i = random(6); i > 0; i--) transfer();
  if (chain.queries.head.number > 0 && random(3) === 0) propose();
  produce();
  const { number, irreversible } = chain.queries.head;
  if (random(12) === 0 && number - irreversible > 2) chain.blocks.popTo(number - 1 - random(2));
  if (random(400) === 0) break;
  // On a full machine hundreds of blocks would be made before the first write is done: a node's are seconds apart.
  await storage.throttle();
  await new Promise((resume) => setImmediate(resume));
}
closeSync(progress);
await stored.close();
