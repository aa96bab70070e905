import { parseArgs } from 'node:util';
import { signatureBackend } from '../../../src/crypto/signature.js';
import { compareBackends } from './cases.js';

/**
 * `npm run agree` compares what all signature libraries say of 1,000,000 signatures, sound and broken;
 * `-- --from 0 --count 1000` of some, so that several processes share the work.
 */

const { values } = parseArgs({
  options: { from: { type: 'string', default: '0' }, count: { type: 'string', default: '1000000' } },
});
const [from, count] = [Number(values.from), Number(values.count)];
const STEP = 10_000;

const backends = (['system', 'native', 'noble'] as const).map((name) => signatureBackend(name));
process.stdout.write(`${backends.map(({ name, version }) => `${name} ${version ?? ''}`.trim()).join(', ')}\n`);
const keys = new Map<string, number>();
let differing = 0;
for (let at = from; at < from + count; at += STEP) {
  const found = compareBackends(backends, at, Math.min(STEP, from + count - at));
  for (const [kind, number] of found.keys) keys.set(kind, (keys.get(kind) ?? 0) + number);
  for (const line of found.differing) process.stdout.write(`they differ: ${line}\n`);
  differing += found.differing.length;
  process.stdout.write(`${Math.min(at + STEP, from + count) - from} compared, ${differing} differ\n`);
}
for (const [kind, number] of keys) process.stdout.write(`${kind}: ${number} have a key\n`);
process.exitCode = differing === 0 ? 0 : 1;
