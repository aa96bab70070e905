import t from 'tap';
import { ChainError } from '../../src/base/errors.js';
import { decode, encode } from '../../src/codec/binary.js';
import type { Json } from '../../src/codec/json.js';
import { SKIP } from '../../src/operations/define.js';
import { OPERATIONS } from '../../src/operations/index.js';
import { requiredFee } from '../../src/operations/pipeline.js';
import { transfer as transferOperation } from '../../src/operations/transfer/transfer.js';
import { AccountSet } from '../../src/protocol/authority.js';
import { AUTHORITY_ERRORS, verifyAuthority } from '../../src/protocol/authority-check.js';
import { type SignedTransaction, signedTransaction } from '../../src/protocol/transaction.js';
import { accountBalanceObject } from '../../src/state/objects/account-balance.js';
import { parameters } from '../../src/state/rules/parameters.js';
import { loadedChain } from '../rpc/support/golden-node.js';
import { keyText } from '../rpc/support/key-texts.js';
import { worstValid } from '../rpc/support/worst-arguments.js';
import { NETWORK } from '../support/network.js';
import { ofThisRun } from '../support/part-of-run.js';
import { refused } from '../support/refused.js';
import { ThreadTime } from '../support/thread-time.js';

/**
 * What a block may carry costs no more than a small multiple of what a block full of transfers costs: no list of any
 * operation leads to work that grows with its square. Contracts pay for their time and are left out.
 */
const IS_LONG = process.env.TRUSTNODE_HOSTILE === '1';
const BLOCK_BYTES = (IS_LONG ? 2 : 0.25) * 1024 * 1024;
/** A short run on a machine with other work gets more. */
const CEILING = IS_LONG ? 2 : 8;

/** A decoder takes no more operations in one transaction. */
const TRANSFERS_MAX = 20_000;

const time = ThreadTime.open();
const skip = time === undefined ? 'the system does not tell the time of a thread' : false;

/** Reads a transaction from its bytes and applies it to the pending state, as far as it comes. */
function cost(chain: ReturnType<typeof loadedChain>, bytes: Uint8Array): [ms: number, outcome: string] {
  const clock = time as ThreadTime;
  const start = clock.now();
  let outcome = 'applied';
  try {
    const transaction = decode(signedTransaction, bytes);
    chain.pending.dryRun({ transaction }, SKIP.transactionSignatures | SKIP.taposCheck);
  } catch (error) {
    if (!(error instanceof ChainError)) throw error;
    outcome = error.key;
  }
  return [clock.now() - start, outcome];
}

function transactionOf(expiration: number, operations: readonly Json[]): SignedTransaction {
  return { ...signedTransaction.fromJson({ operations: operations as Json[] }, NETWORK), expiration };
}

t.test(
  'no operation costs more than twice a block of transfers',
  { skip, timeout: IS_LONG ? 36_000_000 : 280_000 },
  async (t) => {
    const chain = loadedChain();
    const expiration = chain.queries.state.headTime + 30;
    const { coreAsset } = chain.queries.state;
    const balances = [...chain.queries.state.all(accountBalanceObject)].filter((row) => row.asset_type === coreAsset);
    const { owner } = balances.reduce((most, row) => (row.balance > most.balance ? row : most));
    const asset_id = `1.3.${coreAsset}`;
    const { current_fees } = parameters(chain.queries.state);
    const fee = requiredFee(current_fees, [0, transferOperation.schema.default()]);
    const transfer = (i: number): Json => [
      0,
      {
        fee: { amount: String(fee), asset_id },
        from: `1.2.${owner}`,
        to: `1.2.${owner === 33 ? 34 : 33}`,
        amount: { amount: 1 + i, asset_id },
        extensions: [],
      },
    ];
    const one = encode(signedTransaction, transactionOf(expiration, [transfer(0)])).length;
    const count = Math.min(Math.floor(BLOCK_BYTES / one), TRANSFERS_MAX);
    const transfers = encode(
      signedTransaction,
      transactionOf(
        expiration,
        Array.from({ length: count }, (_, i) => transfer(i)),
      ),
    );
    cost(chain, transfers);
    const [ms, outcome] = cost(chain, transfers);
    t.equal(outcome, 'applied', `transfers: ${outcome}`);
    t.comment(`${count} transfers, ${transfers.length} bytes: ${ms.toFixed()} ms`);
    const perByte = ms / transfers.length;
    const seen = new Set<string>();
    for (const { tag, schema, name } of ofThisRun(OPERATIONS, ({ name }) => name)) {
      if (IS_LONG) t.comment(name);
      for (const { name: place, make } of worstValid(schema, { bytes: BLOCK_BYTES, depth: 2 }, keyText)) {
        const body = make();
        if (seen.has(`${tag} ${place}`)) continue;
        seen.add(`${tag} ${place}`);
        const bytes = encode(signedTransaction, transactionOf(expiration, [[tag, body]]));
        // Elements can be larger than the fewest bytes of their type.
        const ceiling = CEILING * perByte * Math.max(BLOCK_BYTES, bytes.length);
        let [ms, said] = cost(chain, bytes);
        for (let n = 0; n < 2 && ms > ceiling; n++) [ms, said] = cost(chain, bytes);
        const what = `${name} ${place}, ${bytes.length} bytes: ${ms.toFixed()} ms, ${said}`;
        if (ms > ceiling / 2) t.comment(what);
        t.ok(ms <= ceiling, what);
      }
    }
  },
);

t.test('as many signatures as a block has room for are compared in linear time', { skip }, async (t) => {
  const count = 32_000;
  const keys = Array.from({ length: count }, (_, i) => `02${i.toString(16).padStart(64, '0')}`);
  const chain = loadedChain();
  const signatures = keys.map(() => new Uint8Array(65));
  const plain = transactionOf(chain.queries.state.headTime + 30, [[0, { to: '1.2.33', amount: { amount: 1 } }]]);
  const transaction = { ...plain, signatures };
  const given = { transaction, id: '00'.repeat(20), packedBytes: 100, keys, keyError: undefined };
  const clock = time as ThreadTime;
  const measured = (work: () => unknown): number => {
    const start = clock.now();
    refused(t, AUTHORITY_ERRORS.other_auth_missing, work);
    return clock.now() - start;
  };
  // A square would take seconds.
  const CEILING_MS = 400;
  const start = clock.now();
  t.throws(() => chain.pending.dryRun(given));
  t.ok(clock.now() - start < CEILING_MS, `a transaction: ${(clock.now() - start).toFixed()} ms`);
  const nobody = { network: NETWORK, depthMax: 2, active: () => t.fail('no account is asked'), owner: () => t.fail() };
  const auth = (key_auths: [string, number][]) => ({
    weight_threshold: 2 * count,
    account_auths: [],
    key_auths,
    address_auths: [],
  });
  const required = (of: [string, number][]) => ({
    active: new AccountSet(),
    owner: new AccountSet(),
    other: [auth(of)],
  });
  const wanted = [...keys].reverse().map((key): [string, number] => [key, 1]);
  const ms = measured(() => verifyAuthority(nobody as never, required(wanted), { keys }));
  t.ok(ms < CEILING_MS, `an authority: ${ms.toFixed()} ms`);
});
