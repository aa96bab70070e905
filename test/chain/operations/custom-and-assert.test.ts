import { ASSERT_ERRORS } from '../../../src/operations/custom/assert.js';
import { CUSTOM_ERRORS } from '../../../src/operations/custom/custom.js';
import { AUTHORITY_ERRORS } from '../../../src/protocol/authority-check.js';
import { TABLE_ERRORS } from '../../../src/state/table.js';
import { refused } from '../../support/refused.js';
import { core, worldTest } from '../../support/world.js';

const WORLD = { accounts: { alice: 1000n, bob: 0n } };

worldTest('custom (35)', WORLD, (t, w) => {
  const given = { fee: core(1), payer: 'alice', required_auths: ['bob'], id: 7, data: Uint8Array.of(1, 2) };
  // Quirk: those whose consent is demanded need not sign.
  t.same(w.push('custom', given, ['alice']), [0, {}]);
  w.block();
  t.equal(w.balance('alice'), 999n);
  w.refuse(t, CUSTOM_ERRORS.custom_fee_not_positive, 'custom', { ...given, fee: core(0) });
  refused(t, AUTHORITY_ERRORS.active_auth_missing, () => w.push('custom', given, ['bob']));
});

worldTest('assert (36)', { ...WORLD, parameters: { max_predicate_opcode: 3 } }, (t, w) => {
  w.block();
  const claim = (...predicates: unknown[]) => ({ fee_paying_account: 'alice', predicates, required_auths: [] });
  const nameIs = (account_id: number, name: string) => [0, { account_id, name }];
  const symbolIs = (asset_id: number, symbol: string) => [1, { asset_id, symbol }];
  const blockIs = (id: string) => [2, { id }];
  const { id } = w.chain.blocks.head;
  const cases = [
    [ASSERT_ERRORS.predicate_account_name, claim(nameIs(w.id('bob'), 'alice'))],
    [TABLE_ERRORS.object_missing, claim(nameIs(9_999, 'alice'))],
    [ASSERT_ERRORS.predicate_asset_symbol, claim(symbolIs(1, 'OTHER'))],
    [TABLE_ERRORS.object_missing, claim(symbolIs(99, 'OTHER'))],
    [ASSERT_ERRORS.predicate_block_id, claim(blockIs(`${id.slice(0, 8)}${'00'.repeat(16)}`))],
    [ASSERT_ERRORS.predicate_account_name, claim(symbolIs(1, 'CORE'), nameIs(w.id('bob'), 'x1'))],
  ] as const;
  for (const [row, given] of cases) w.refuse(t, row, 'assert', given);
  const all = claim(nameIs(w.id('bob'), 'bob'), symbolIs(1, 'CORE'), blockIs(id));
  t.same(w.push('assert', all), [0, {}]);
  w.block();
});

worldTest(
  'assert (36) knows the predicates that the parameters allow',
  { ...WORLD, parameters: { max_predicate_opcode: 1 } },
  (t, w) => {
    const given = { fee_paying_account: 'alice', required_auths: [] };
    const second = { ...given, predicates: [[1, { asset_id: 1, symbol: 'CORE' }]] };
    w.refuse(t, ASSERT_ERRORS.predicate_unknown, 'assert', second);
    w.push('assert', { ...given, predicates: [[0, { account_id: w.id('bob'), name: 'bob' }]] });
    w.block();
  },
);
