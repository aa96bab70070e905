import t from 'tap';
import { ALL_FORKS_ACTIVE, MAINNET_FORKS } from '../../../src/protocol/forks.js';
import { NETWORK_ERRORS, networkOf } from '../../../src/protocol/network-definition.js';
import { refused } from '../../support/refused.js';

const of = (network: unknown) => networkOf(JSON.stringify({ initial_timestamp: '2020-01-01T00:00:00', network }));

t.test('a genesis file without a network has the rules of the main network', async (t) => {
  const network = networkOf('{"initial_timestamp":"2020-01-01T00:00:00"}');
  t.same(network.forks, MAINNET_FORKS);
  t.equal(network.keyPrefix, 'GXC');
  t.equal(network.dataTransactionLifetimeHours, 1);
});

t.test('networks of their own', async (t) => {
  const dev = of({ name: 'dev', key_prefix: 'DEV', forks: 'all_active', data_transaction_lifetime_hours: 0 });
  t.same(dev, { name: 'dev', keyPrefix: 'DEV', forks: ALL_FORKS_ACTIVE, dataTransactionLifetimeHours: 0 });
  t.same(of({}).forks, MAINNET_FORKS);
  const moved = of({ forks: { HF_1008: 12, HF_1029: -1 } });
  t.same(moved.forks, { ...MAINNET_FORKS, HF_1008: 12, HF_1029: -1 });
});

t.test('mistakes are named', async (t) => {
  const bad: [unknown, RegExp][] = [
    [1, /no object/],
    [null, /no object/],
    [{ fork: 'all_active' }, /no fork/],
    [{ forks: 'some' }, /forks must be/],
    [{ forks: { HF_1: 0 } }, /no fork HF_1/],
    [{ forks: { HF_1008: -2 } }, /HF_1008/],
    [{ forks: { HF_1008: 'now' } }, /HF_1008/],
    [{ key_prefix: 'gxc' }, /key_prefix/],
    [{ key_prefix: 1 }, /key_prefix/],
    [{ name: 1 }, /name/],
    [{ data_transaction_lifetime_hours: -1 }, /lifetime/],
  ];
  for (const [network, what] of bad) {
    refused(t, NETWORK_ERRORS.network_definition, () => of(network), { data: { what } } as never);
  }
});
