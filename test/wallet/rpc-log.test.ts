import { mkdirSync, readFileSync, renameSync, rmdirSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { COMMANDS } from '../../src/wallet/commands/index.js';
import { RPC_LOG_BYTES, RpcLog } from '../../src/wallet/rpc-log.js';
import { FakeClock } from '../support/fake-clock.js';
import { MemoryLog } from '../support/memory-log.js';

/** Of its beginning: what is wrong with a large file is said in short. */
const linesOf = (file: string): string[] => readFileSync(file).subarray(0, 1000).toString().trimEnd().split('\n');

t.test('a wallet that is asked for years keeps two files of so many bytes', async (t) => {
  const file = join(t.testdir(), 'logs', 'rpc.log');
  const older = `${file}.1`;
  const log = new RpcLog(file, COMMANDS, { clock: new FakeClock(0), log: new MemoryLog() });
  const ask = (method: string) => log.around(method, [], async () => null);
  await ask('info');
  truncateSync(file, RPC_LOG_BYTES - 1);
  await ask('about');
  t.throws(() => statSync(older), { code: 'ENOENT' }, 'not before its time');
  await ask('is_new');
  await ask('is_locked');
  t.match(linesOf(file), [/"is_new"/, /"is_locked"/]);
  t.ok(statSync(older).size > RPC_LOG_BYTES);
  t.equal(statSync(file).mode & 0o777, 0o600);

  truncateSync(file, RPC_LOG_BYTES);
  await ask('info');
  t.equal(statSync(older).size, RPC_LOG_BYTES, 'in the place of the one that was');
  t.match(linesOf(file), [/"info"/]);

  renameSync(file, join(t.testdirName, 'moved'));
  await ask('about');
  t.match(linesOf(file), [/"about"/], 'who moves it away gets a new one');
});

t.test('how long it took is not what the clock was set by meanwhile', async (t) => {
  const file = join(t.testdir(), 'rpc.log');
  let nowMs = 1_000_000;
  const clock = Object.assign(new FakeClock(0), { nowMs: () => nowMs });
  const log = new RpcLog(file, COMMANDS, { clock, log: new MemoryLog() });
  await log.around('info', [], async () => {
    nowMs -= 3000;
    clock.advance(5);
    return null;
  });
  t.match(linesOf(file), [/"time":"1970-01-01T00:16:40.000Z".*"ms":5}/]);
});

t.test('what nobody can know the meaning of is not kept: it may be a secret', async (t) => {
  const file = join(t.testdir(), 'rpc.log');
  const log = new RpcLog(file, COMMANDS, { clock: new FakeClock(0), log: new MemoryLog() });
  for (const [method, params] of [
    ['get_block', ['7', 'my secret']],
    ['unlock', ['my secret', 'my secret']],
    ['unlocck', ['my secret']],
    ['toString', ['my secret']],
  ] as const) {
    await log.around(method, params, async () => null);
  }
  t.notMatch(readFileSync(file, 'utf8'), /secret/);
  t.match(linesOf(file)[0], /"params":\["7","\*\*\*"\]/, 'of the rest all is');
});

t.test('a log that cannot be written is said to be once for each time, and nobody waits for it', async (t) => {
  const file = join(t.testdir(), 'rpc.log');
  const memory = new MemoryLog();
  const log = new RpcLog(file, COMMANDS, { clock: new FakeClock(0), log: memory });
  const ask = (): Promise<unknown> => log.around('info', [], async () => 'answered');
  const said = (): number => memory.texts('error').length;
  for (let time = 1; time <= 2; time++) {
    renameSync(file, `${file}.moved`);
    mkdirSync(file);
    for (let i = 0; i < 3; i++) t.equal(await ask(), 'answered');
    t.equal(said(), time);
    rmdirSync(file);
    await ask();
    t.match(linesOf(file), [/"info"/]);
  }
});
