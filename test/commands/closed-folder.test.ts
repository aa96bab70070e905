import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { NodeProcess } from '../support/node-process.js';
import { hasNoModes, throughModes } from '../support/without-rights.js';

t.test('a data directory of another user is not taken for an empty one', { skip: hasNoModes }, async (t) => {
  const closed = t.testdir({ data: {} });
  chmodSync(closed, 0);
  const asked = ['state-hash', 'verify-blocks'].map((command) => {
    const args = [command, '--data-dir', join(closed, 'data')];
    return new NodeProcess(args, undefined, throughModes).finished;
  });
  const finished = await Promise.all(asked);
  chmodSync(closed, 0o700);
  for (const { code, stderr } of finished) {
    t.equal(code, 1);
    t.match(stderr, /storage_access_denied: .*this user has no right to it \(EACCES\)/);
  }
});
