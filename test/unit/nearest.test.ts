import t from 'tap';
import { nearest } from '../../src/base/nearest.js';

t.test('what somebody may have meant', async (t) => {
  const known = ['rpc-endpoint', 'rpc-tls-endpoint', 'witness-id', 'plugins'];
  t.equal(nearest('rpc-endpiont', known), 'rpc-endpoint');
  t.equal(nearest('rpctlsendpoint', known), 'rpc-tls-endpoint');
  t.equal(nearest('plugin', known), 'plugins');
  t.equal(nearest('witness-ids', known), 'witness-id');
  t.equal(nearest('seed-node', known), undefined);
  t.equal(nearest('x', []), undefined);
});
