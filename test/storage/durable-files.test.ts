import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { Level } from 'level';
import t, { type Test } from 'tap';
import { STORAGE_ERRORS } from '../../src/storage/errors.js';
import { nodeFiles, PRIVATE } from '../../src/storage/files.js';
import { LevelKv } from '../../src/storage/level-kv.js';
import { refused, refusedLater } from '../support/refused.js';
import { replace } from '../support/replaced.js';

/**
 * What a power loss leaves depends on calls that nobody sees the effect of while the power is on. They go to the real
 * system here and are noted on the way, with the file that they are about.
 */
const NOTED = [
  'openSync',
  'writeSync',
  'writeFileSync',
  'fsyncSync',
  'fdatasyncSync',
  'renameSync',
  'mkdirSync',
] as const;

function folder(t: Test): string {
  const path = fs.mkdtempSync(join(tmpdir(), 'trustnode-durable-'));
  t.teardown(() => fs.rmSync(path, { recursive: true, force: true }));
  return path;
}

function noted(work: () => void): string[] {
  const calls: string[] = [];
  const names = new Map<number, string>();
  const originals = NOTED.map((name) => [name, fs[name]] as const);
  const real = Object.fromEntries(originals) as Record<string, (...args: unknown[]) => unknown>;
  for (const name of NOTED) {
    const noting = (...args: unknown[]): unknown => {
      const [first] = args;
      const about = typeof first === 'number' ? (names.get(first) ?? 'unknown') : basename(String(first));
      const result = real[name]?.(...args);
      if (name === 'openSync') names.set(result as number, about);
      else calls.push(`${name} ${about}`);
      return result;
    };
    Object.assign(fs, { [name]: noting });
  }
  syncBuiltinESMExports();
  try {
    work();
  } finally {
    for (const [name, original] of originals) Object.assign(fs, { [name]: original });
    syncBuiltinESMExports();
  }
  return calls.map((call) => call.replace(/\.\d+\.tmp/, 'temporary'));
}

t.test('a file that is synced is on the medium, its name too', (t) => {
  const path = folder(t);
  const calls = noted(() => {
    const file = nodeFiles.open(join(path, 'blocks'));
    file.write(Uint8Array.of(1), 0);
    file.sync();
    file.close();
    nodeFiles.open(join(path, 'blocks')).close();
  });
  t.same(calls, [`fsyncSync ${basename(path)}`, 'writeSync blocks', 'fdatasyncSync blocks'], 'an old name needs none');
  t.end();
});

t.test('a file is synced by another thread when it is asked to', async (t) => {
  const path = join(folder(t), 'blocks');
  const { fdatasync } = fs;
  const asked: number[] = [];
  const answers: (NodeJS.ErrnoException | null)[] = [null, Object.assign(new Error('EIO: refused'), { code: 'EIO' })];
  replace(t, fs, 'fdatasync', ((descriptor: number, done: fs.NoParamCallback) => {
    asked.push(descriptor);
    fdatasync(descriptor, (error) => done(error ?? answers.shift() ?? null));
  }) as typeof fdatasync);
  const file = nodeFiles.open(path);
  file.write(Uint8Array.of(1), 0);
  const calls: string[] = [];
  let synced: Promise<void> = Promise.resolve();
  calls.push(...noted(() => (synced = file.syncLater())));
  await synced;
  t.same([calls, asked.length], [[], 1], 'no call that holds this thread');
  await refusedLater(t, STORAGE_ERRORS.storage_io, file.syncLater());
  file.close();
});

t.test('a text replaces the old one whole: synced before it gets the name, the name synced after that', (t) => {
  const path = folder(t);
  const calls = noted(() => nodeFiles.writeText(join(path, 'text'), 'hello'));
  t.same(
    calls,
    ['writeFileSync unknown', 'fsyncSync temporary', 'renameSync temporary', `fsyncSync ${basename(path)}`].map(
      (call) => call.replace('unknown', 'temporary'),
    ),
  );
  t.end();
});

t.test('a text has its own rights whatever a killed run has left, and leaves nothing where it fails', (t) => {
  const path = folder(t);
  const left = join(path, `.${process.pid}.tmp`);
  fs.writeFileSync(left, 'half of', { mode: 0o644 });
  nodeFiles.writeText(join(path, 'key'), 'secret', PRIVATE);
  t.equal(fs.statSync(join(path, 'key')).mode & 0o777, PRIVATE);
  fs.mkdirSync(join(path, 'taken', 'by'), { recursive: true });
  refused(t, STORAGE_ERRORS.storage_io, () => nodeFiles.writeText(join(path, 'taken'), 'hello'));
  t.same(fs.readdirSync(path), ['key', 'taken']);
  t.end();
});

t.test('new folders and new names are on the medium', (t) => {
  const path = folder(t);
  const made = noted(() => nodeFiles.makeFolder(join(path, 'a', 'b')));
  t.same(made, ['mkdirSync a', `fsyncSync ${basename(path)}`, 'mkdirSync b', 'fsyncSync a']);
  t.same(
    noted(() => nodeFiles.makeFolder(join(path, 'a', 'b'))),
    [],
    'old ones need nothing',
  );
  const renamed = noted(() => nodeFiles.rename(join(path, 'a'), join(path, 'c')));
  t.same(renamed, ['renameSync a', `fsyncSync ${basename(path)}`]);
  t.end();
});

t.test('a folder that cannot be synced is an error, unless the system has no such thing', (t) => {
  const path = folder(t);
  const failing = (code: string) =>
    replace(t, fs, 'fsyncSync', () => {
      throw Object.assign(new Error(`${code}: refused`), { code });
    });
  const restore = failing('EIO');
  refused(t, STORAGE_ERRORS.storage_io, () => nodeFiles.open(join(path, 'one')));
  restore();
  failing('EINVAL');
  nodeFiles.open(join(path, 'two')).close();
  t.end();
});

t.test('a batch of the store has reached the medium when its promise settles', async (t) => {
  const level = new Level(join(folder(t), 'other'));
  await level.open();
  const kv = await LevelKv.open(join(folder(t), 'store'));
  const prototype = Object.getPrototypeOf(level.batch()) as { write: (...args: unknown[]) => unknown };
  const { write } = prototype;
  const options: unknown[] = [];
  prototype.write = function (this: unknown, ...args: unknown[]) {
    options.push(args[0]);
    return Reflect.apply(write, this, args);
  };
  t.teardown(() => {
    prototype.write = write;
  });
  await kv.write([{ key: Uint8Array.of(1), value: Uint8Array.of(2) }]);
  t.match(options, [{ sync: true }]);
  await Promise.all([kv.close(), level.close()]);
});
