import t from 'tap';
import { signatureBackend } from '../../../src/crypto/signature.js';
import { CASE_KINDS, compareBackends } from '../../fuzz/signatures/cases.js';

/** The short form of `npm run agree`. */

const EACH = 8;

t.test('all libraries say the same of sound and broken signatures', async (t) => {
  const backends = (['system', 'native', 'noble'] as const).map((name) => signatureBackend(name));
  const { keys, differing } = compareBackends(backends, 0, EACH * CASE_KINDS.length);
  t.same(differing, []);
  t.equal(keys.get('sound'), EACH, 'each sound one has a key');
  t.equal(keys.get('high s'), EACH, 'by the rule for texts from elsewhere');
  const few = ['every header', 's above the order', 'noise', 'r at a bound'];
  for (const kind of few) t.ok((keys.get(kind) ?? 0) < EACH, `not all of them: ${kind}`);
  t.ok((keys.get('r above the order, with the id that says so') ?? 0) > 0, 'recovery ids 2 and 3 are met');
});

t.test('one that says something else is found', async (t) => {
  const honest = signatureBackend('native');
  const lying = Object.create(honest, { recover: { value: () => '02'.repeat(33) } }) as typeof honest;
  const { differing } = compareBackends([honest, lying], 0, 3);
  t.equal(differing.length, 3);
});
