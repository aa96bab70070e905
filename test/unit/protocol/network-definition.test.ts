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
  t.equal(network.decoder, 'new');
});

t.test('the live networks have the decoder of the published binaries', async (t) => {
  const live = {
    mainnet: '4f7d07969c446f8342033acb3ab2ae5044cbe0fde93db02de75bd17fa8fd84b8',
    testnet: 'c2af30ef9340ff81fd61654295e98a1ff04b23189748f86727d0b26b40bb0ff4',
  };
  for (const [name, chainId] of Object.entries(live)) {
    t.match(networkOf('{}', chainId), { name, decoder: 'old', forks: MAINNET_FORKS });
  }
  t.match(networkOf('{}', '00'.repeat(32)), { name: 'main rules', decoder: 'new' });
  t.match(networkOf('{"network":{}}', live.mainnet), { decoder: 'new' }, 'what the file says counts');
});

t.test('networks of their own', async (t) => {
  const dev = of({ name: 'dev', key_prefix: 'DEV', forks: 'all_active', data_transaction_lifetime_hours: 0 });
  t.same(dev, {
    name: 'dev',
    keyPrefix: 'DEV',
    forks: ALL_FORKS_ACTIVE,
    decoder: 'new',
    dataTransactionLifetimeHours: 0,
  });
  t.equal(of({ decoder: 'old' }).decoder, 'old');
  t.same(of({}).forks, MAINNET_FORKS);
  const moved = of({ forks: { HF_1008: 12, HF_1029: -1 } });
  t.same(moved.forks, { ...MAINNET_FORKS, HF_1008: 12, HF_1029: -1 });
  const update = { HF_1024: 12, HF_1024_SAME_CODE: 12 };
  t.same(of({ forks: { HF_1024: 12 } }).forks, { ...MAINNET_FORKS, ...update }, 'one moment of the reference');
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
    [{ decoder: 'newest' }, /decoder/],
    [{ data_transaction_lifetime_hours: -1 }, /lifetime/],
  ];
  for (const [network, what] of bad) {
    refused(t, NETWORK_ERRORS.network_definition, () => of(network), { data: { what } } as never);
  }
});
