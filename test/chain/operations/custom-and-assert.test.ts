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

for (const max_predicate_opcode of [0, 1, 2, 3, 65_535]) {
  worldTest(
    `assert (36): each kind of predicate where kinds below ${max_predicate_opcode} are admitted`,
    { ...WORLD, parameters: { max_predicate_opcode } },
    (t, w) => {
      w.block();
      const { id } = w.chain.blocks.head;
      // Quirk: those whose consent is demanded need not sign.
      const claim = (...predicates: unknown[]) => ({
        fee_paying_account: 'alice',
        predicates,
        required_auths: [w.id('bob')],
      });
      // The place of a block that has not been is empty, and its empty id names it.
      const none = '00'.repeat(20);
      // 65,536 blocks earlier there was another one in the same place.
      const tooOld = `${(Number.parseInt(id.slice(0, 8), 16) + 0x1_0000).toString(16).padStart(8, '0')}${id.slice(8)}`;
      const kinds = [
        [
          [[0, { account_id: w.id('bob'), name: 'bob' }]],
          [[0, { account_id: w.id('bob'), name: 'BOB' }], ASSERT_ERRORS.predicate_account_name],
          [[0, { account_id: w.id('bob'), name: '' }], ASSERT_ERRORS.predicate_account_name],
          [[0, { account_id: 9_999, name: 'bob' }], TABLE_ERRORS.object_missing],
        ],
        [
          [[1, { asset_id: 1, symbol: 'CORE' }]],
          [[1, { asset_id: 0, symbol: 'CORE' }], ASSERT_ERRORS.predicate_asset_symbol],
          [[1, { asset_id: 1, symbol: 'CORES' }], ASSERT_ERRORS.predicate_asset_symbol],
          [[1, { asset_id: 99, symbol: 'CORE' }], TABLE_ERRORS.object_missing],
        ],
        [
          [[2, { id }]],
          [[2, { id: none }]],
          [[2, { id: tooOld }], ASSERT_ERRORS.predicate_block_id],
          [[2, { id: `0000ffff${id.slice(8)}` }], ASSERT_ERRORS.predicate_block_id],
        ],
      ] as const;
      for (const [kind, cases] of kinds.entries()) {
        for (const [predicate, row] of cases) {
          const wanted = kind < max_predicate_opcode ? row : ASSERT_ERRORS.predicate_unknown;
          if (wanted === undefined) t.same(w.push('assert', claim(predicate), ['alice']), [0, {}]);
          else {
            w.refuse(t, wanted, 'assert', claim(predicate));
            // The last of many counts as the first does.
            const good = kinds.slice(0, max_predicate_opcode).map(([[first]]) => first);
            w.refuse(t, wanted, 'assert', claim(...good, predicate));
          }
        }
      }
      t.same(w.push('assert', claim(), ['alice']), [0, {}], 'nothing is always so');
      w.block();
    },
  );
}
