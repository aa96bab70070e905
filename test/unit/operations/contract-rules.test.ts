import t from 'tap';
import type { ContractRules } from '../../../src/operations/contract/engine.js';
import { contractHost } from '../../../src/operations/contract/host.js';
import { ALL_FORKS_ACTIVE, type Fork } from '../../../src/protocol/forks.js';
import { BareWorld } from '../../support/bare-world.js';

/**
 * On the main network six of these forks have one time and two another one, so that no recording can tell them apart. A
 * network of its own may move each of them.
 */

const NOW = 1_700_000_000;
const TODAY: ContractRules = {
  ram_per_payer: true,
  inline_calls: true,
  inline_transfer: true,
  removes_emptied_tables: false,
  index_update_keeps_payer: true,
  key_as_text: true,
  asset_precision: true,
};
const BEFORE: Partial<Record<Fork, Partial<ContractRules>>> = {
  HF_1006: {},
  HF_1008: {},
  HF_1013: {},
  HF_1015: {},
  HF_1016: { ram_per_payer: false, inline_calls: false },
  HF_1017: { inline_transfer: false },
  HF_1019: {},
  HF_1020: { removes_emptied_tables: true },
  HF_1021: { index_update_keeps_payer: false },
  HF_1022: { key_as_text: false },
  HF_1023: { asset_precision: false },
  HF_1024: {},
};

function rulesAt(headTime: number, fork: Fork): ContractRules {
  const { state, context } = new BareWorld(headTime, { ...ALL_FORKS_ACTIVE, [fork]: NOW });
  return contractHost(state, context, () => {
    throw new Error('nothing runs');
  }).rules;
}

t.test('what running code may do, up to the second of each fork and after it', async (t) => {
  for (const [fork, before] of Object.entries(BEFORE) as [Fork, Partial<ContractRules>][]) {
    t.same(rulesAt(NOW, fork), { ...TODAY, ...before }, `${fork}: the second itself`);
    t.same(rulesAt(NOW + 1, fork), TODAY, `${fork}: the next one`);
  }
});
