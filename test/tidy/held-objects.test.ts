import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { projectPath } from '../support/paths.js';

/**
 * An operation holds objects from its checks until its effects are done, and so do the steps of a block. None may vanish
 * meanwhile: working on with one that is gone stops the node. Who looks through the rules for such cases finds these:
 *
 * - Objects are removed in the places listed here only. The rules that all operations share, which run between checks
 *   and effects (`state/rules`: conversion and booking of the fee), and maintenance remove nothing.
 * - Operations run inside operations in two places. Contract code issues transfers and calls of contracts, and neither
 *   removes anything but rows of contract tables, which running code knows by numbers and looks up each time. Executed
 *   proposals may run everything; the one object that is held across them is the proposal itself, which one of its
 *   operations may remove. It is looked up again, so that the run fails.
 * - Approvals (23) cannot be proposed, since they need more than accounts: a proposal never runs inside another one.
 *   Deletions (24) can, hence one proposal may remove others. Whoever walks over proposals asks anew for each.
 * - Inputs of confidential operations are in strict order, so that none is removed twice.
 *
 * A place that is new here has to be thought through: who may hold what it removes?
 */
const REMOVALS: readonly string[] = [
  'src/chain/expirations.ts dataTransactionObject',
  'src/chain/expirations.ts index',
  'src/chain/expirations.ts proposalObject',
  'src/operations/account/account-update.ts specialAuthorityObject',
  'src/operations/balance/balance-claim.ts balanceObject',
  'src/operations/balance/balance-unlock.ts lockBalanceObject',
  'src/operations/confidential/blinded.ts blindedBalanceObject',
  'src/operations/contract/store.ts index64Object',
  'src/operations/contract/store.ts keyValueObject',
  'src/operations/contract/store.ts tableIdObject',
  'src/operations/data-market/datasource-copyright-clear.ts datasourceCopyrightObject',
  'src/operations/proposal/proposal-delete.ts proposalObject',
  'src/operations/proposal/run.ts proposalObject',
  'src/operations/staking/staking-claim.ts stakingObject',
  'src/operations/withdraw/withdraw-permission-delete.ts withdrawPermissionObject',
  'src/operations/witness/trust-node-pledge-withdraw.ts trustNodePledgeObject',
];
const NESTED_RUNS: readonly string[] = ['src/operations/contract/host.ts', 'src/operations/proposal/run.ts'];

/** Genesis is no block, and nobody holds anything then; debug changes are made between blocks. */
const APART = ['src/chain/genesis.ts', 'src/chain/genesis-assets.ts', 'src/chain/debug-updates.ts'];

const sources = ['src/operations', 'src/chain', 'src/state/rules'].flatMap((folder) =>
  readdirSync(projectPath(folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(folder, name).replaceAll('\\', '/'))
    .filter((path) => !APART.includes(path))
    .map((path) => ({ path, text: readFileSync(projectPath(path), 'utf8') })),
);

t.test('objects are removed in known places only', async (t) => {
  const found = sources.flatMap(({ path, text }) =>
    [...text.matchAll(/\b(?:s|state)\.remove\((\w+)/g)].map(([, what]) => `${path} ${what}`),
  );
  t.same([...new Set(found)].sort(), REMOVALS);
});

t.test('operations run inside operations in known places only', async (t) => {
  const found = sources.filter(({ path, text }) => path.startsWith('src/operations/') && /\bcontext\.run\(/.test(text));
  t.same(found.map(({ path }) => path).sort(), NESTED_RUNS);
});
