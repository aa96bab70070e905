import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { sha256Hex } from '../../../src/crypto/hash.js';
import { cannotReadWithHelia, readWithHelia } from '../helia/client.js';
import { PaidStorage } from '../support/paid-storage.js';
import { formOf, post } from '../support/payer.js';
import { startInProcess } from '../support/storage-service.js';

/** What was stored, read back through the gateway by an IPFS client that nobody here wrote; it checks each block. */

const skip = await cannotReadWithHelia();
const MEBIBYTE = 1_048_576;

/** Bytes without a pattern. */
function noise(bytes: number): Uint8Array {
  const out = new Uint8Array(bytes);
  let state = bytes;
  for (let i = 0; i < bytes; i++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    out[i] = state >>> 24;
  }
  return out;
}

t.test('from one byte to ten megabytes', { skip }, async (t) => {
  const chain = await PaidStorage.start(t.testdir());
  t.teardown(() => chain.node.stop());
  const service = await startInProcess(t, { endpoint: chain.node.endpoint, provider: chain.node.bob });
  const wanted = [];
  for (const bytes of [1, 262_144, 262_145, 3_000_000, 10 * MEBIBYTE]) {
    const data = noise(bytes);
    const { form } = await chain.requestFor(data);
    const answer = await post(`${service.url}/store`, formOf(form, data));
    t.equal(answer.code, 200, `${bytes} bytes: ${answer.hint ?? 'stored'}`);
    wanted.push({ cid: answer.data?.cid ?? '', bytes, sha256: sha256Hex(data) });
  }
  t.same(
    await readWithHelia(
      service.url,
      wanted.map(({ cid }) => cid),
    ),
    wanted,
  );
  const large = wanted.at(-1)?.cid ?? '';
  const car = await fetch(`${service.url}/ipfs/${large}`, { headers: { Accept: 'application/vnd.ipld.car' } });
  t.equal(car.headers.get('content-type'), 'application/vnd.ipld.car; version=1; order=dfs; dups=n');
  t.ok((await car.arrayBuffer()).byteLength > 10 * MEBIBYTE, 'all blocks in one answer');
  const alone = await fetch(`${service.url}/ipfs/${large}?format=car&dag-scope=block`);
  t.ok((await alone.arrayBuffer()).byteLength < 5000, 'or the first one alone');

  const folder = join(service.dataDir, 'blocks');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.includes('/'));
  for (const name of files) writeFileSync(join(folder, name), 'damaged');
  await t.rejects(readWithHelia(service.url, [large]), 'damaged blocks are given to nobody');
});
