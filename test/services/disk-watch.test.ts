import { existsSync, mkdirSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import type { Clock } from '../../src/base/world.js';
import { DatabaseFailure } from '../../src/services/common/database-errors.js';
import { DiskWatch } from '../../src/services/common/disk-watch.js';
import { eventually } from '../support/eventually.js';
import { MemoryLog } from '../support/memory-log.js';

/** When a service says that its disk takes nothing, and when that it does again. */

/** The next look is when the test says so. */
class Looks {
  #next: (() => void) | undefined;
  readonly clock: Clock = {
    nowMs: () => 0,
    monotonicMs: () => 0,
    after: (_, run) => {
      this.#next = run;
      return () => {
        this.#next = undefined;
      };
    },
  };

  async again(): Promise<void> {
    const run = await this.done();
    this.#next = undefined;
    run();
    await this.done();
  }

  done(): Promise<() => void> {
    return eventually('it has looked', () => this.#next);
  }
}

function watched(t: Test, bytes: number) {
  const [looks, log, folder] = [new Looks(), new MemoryLog(), t.testdir({ kept: {} })];
  const disk = new DiskWatch({ folders: [join(folder, 'kept')], bytes, clock: looks.clock, log });
  disk.start();
  t.teardown(() => disk.stop());
  return { disk, looks, log, kept: join(folder, 'kept'), probe: join(folder, 'kept', 'room.new') };
}

t.test('a disk that is full, and has room again', { skip: !existsSync('/dev/full') }, async (t) => {
  const { disk, looks, log, kept, probe } = watched(t, 1);
  await looks.again();
  t.same([disk.trouble, disk.warning], [undefined, undefined]);
  // A device that takes nothing, since it is full.
  symlinkSync('/dev/full', probe);
  await looks.again();
  t.equal(disk.trouble, undefined, 'nothing is written where nothing has failed');
  disk.failed(Object.assign(new Error('no space left on device'), { code: 'ENOSPC' }));
  await looks.done();
  t.equal(disk.trouble, 'the disk is full');
  t.ok(statSync('/dev/full').isCharacterDevice(), 'what is cleared away is the link');
  t.equal(existsSync(probe), false, 'nothing is left there');
  await looks.again();
  t.equal(disk.trouble, undefined, 'it comes back by itself');
  rmSync(kept, { recursive: true });
  await looks.again();
  t.equal(disk.trouble, 'the disk takes no files: the log says why');
  t.same(log.texts('error', 'info'), ['the disk takes nothing', 'the disk has room again', 'the disk takes nothing']);
});

t.test('one that has too little room for the largest file', async (t) => {
  const { disk, looks, kept } = watched(t, Number.MAX_SAFE_INTEGER);
  await looks.again();
  t.equal(disk.trouble, undefined, 'others may fit');
  t.match(disk.warning, /^the disk has room for \d+ MiB more$/);
  for (const error of [
    new DatabaseFailure(new Error('the server has gone')),
    Object.assign(new Error('database is locked'), { code: 'SQLITE_BUSY' }),
  ]) {
    disk.failed(error);
    await looks.again();
    t.equal(disk.trouble, undefined, `says nothing of the disk: ${error.message}`);
  }
  rmSync(kept, { recursive: true });
  await looks.again();
  t.match(disk.trouble, /^the disk takes no files/);
  mkdirSync(kept);
  await looks.again();
  t.equal(disk.trouble, undefined, 'nor does a folder that was away for a moment');
  disk.failed(Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' }));
  await looks.again();
  t.match(disk.trouble, /^the disk has room for \d+ MiB more$/, 'until one has not');
  t.equal(disk.warning, undefined, 'which is said once');
});
