import { EventEmitter } from 'node:events';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { ChainError } from '../../../src/base/errors.js';
import { systemClock } from '../../../src/node/runtime/clock.js';
import { LogOutput } from '../../../src/node/runtime/log-output.js';
import { createLogger, type LogSettings, textLine } from '../../../src/node/runtime/logger.js';
import { systemRandom } from '../../../src/node/runtime/random.js';
import { Shutdown } from '../../../src/node/runtime/shutdown.js';
import { onSignals } from '../../../src/node/runtime/signals.js';
import { STORAGE_ERRORS } from '../../../src/storage/errors.js';
import { FakeClock } from '../../support/fake-clock.js';
import { MemoryLog } from '../../support/memory-log.js';
import { refused } from '../../support/refused.js';

function logger(settings: Partial<LogSettings> = {}) {
  const lines: string[] = [];
  const log = createLogger(
    { level: 'info', modules: new Map(), format: 'text', colour: false, ...settings },
    { write: (line) => lines.push(line) },
  );
  return { log, lines };
}

t.test('a line for people', async (t) => {
  const { log, lines } = logger();
  log.child('chain').info('block applied', { num: 12, id: 'abc', big: 12n, name: 'two words', nested: { a: 1 } });
  t.equal(lines.length, 1);
  t.match(
    lines[0],
    /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} info {2}chain {3}block applied {6}num=12 id=abc big=12 name="two words" nested="\{\\"a\\":1\}"\n$/,
  );
});

t.test('a line for programs', async (t) => {
  const { log, lines } = logger({ format: 'json' });
  log.child('rpc').warn('slow client', { peer: '1.2.3.4', bytes: 2n ** 60n });
  const entry = JSON.parse(lines[0] as string);
  t.match(entry, { level: 'warn', module: 'rpc', text: 'slow client', peer: '1.2.3.4', bytes: '1152921504606846976' });
  t.match(entry.time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
});

t.test('levels, also of single modules', async (t) => {
  const { log, lines } = logger({
    modules: new Map([
      ['p2p', 'debug'],
      ['rpc', 'off'],
    ] as const),
  });
  log.child('chain').debug('not seen');
  log.child('p2p').debug('seen');
  log.child('rpc').error('not seen');
  t.equal(lines.length, 1);
  t.match(lines[0], /debug p2p +seen\n/);
});

t.test('errors come with their stack', async (t) => {
  const { log, lines } = logger();
  log.error('broken', { error: new Error('what happened') });
  t.match(lines[0], /what happened\n +at /);
  log.error('not possible', { error: new ChainError(STORAGE_ERRORS.storage_missing, { path: 'x' }) });
  t.match(lines[1], /not possible +error="storage_missing: x: there is no such file or folder"\n$/, 'unless expected');
});

t.test('colours only where they are wanted', async (t) => {
  const line = JSON.stringify({ level: 'warn', time: '2026-01-01T00:00:00.000Z', module: 'x', text: 'text' });
  t.notMatch(textLine(line, false), /\x1b/);
  t.match(textLine(line, true), /\x1b\[33mwarn/);
});

t.test('the log file can be moved away and opened anew', async (t) => {
  const path = join(t.testdir(), 'node.log');
  const stream: string[] = [];
  const output = new LogOutput(path, (line) => stream.push(line));
  output.write('one\n');
  renameSync(path, `${path}.1`);
  output.write('two\n');
  output.reopen();
  output.write('three\n');
  output.close();
  t.equal(readFileSync(`${path}.1`, 'utf8'), 'one\ntwo\n');
  t.equal(readFileSync(path, 'utf8'), 'three\n');
  t.same(stream, ['one\n', 'two\n', 'three\n']);
  refused(t, STORAGE_ERRORS.storage_io, () => new LogOutput(join(path, 'no', 'such')));
  t.notOk(existsSync(join(path, 'no')));
});

t.test('a log file that cannot be written stops nobody, and goes on when that is possible again', async (t) => {
  const folder = join(t.testdir(), 'logs');
  mkdirSync(folder);
  const path = join(folder, 'node.log');
  const stream: string[] = [];
  const output = new LogOutput(path, (line) => stream.push(line));
  rmSync(folder, { recursive: true });
  output.reopen();
  for (const line of ['one\n', 'two\n']) output.write(line);
  t.match(stream, [/^cannot write to .*node\.log, logging goes on without it/, 'one\n', 'two\n'], 'said once');
  mkdirSync(folder);
  output.write('three\n');
  t.equal(readFileSync(path, 'utf8'), 'three\n');
  output.close();
});

t.test('parts stop in reverse order, one after the other, whatever one of them does', async (t) => {
  const log = new MemoryLog();
  const shutdown = new Shutdown(new FakeClock(), log);
  const order: string[] = [];
  shutdown.add('database', () => void order.push('database'));
  shutdown.add('chain', async () => {
    await new Promise((resolve) => setImmediate(resolve));
    order.push('chain');
    throw new Error('cannot');
  });
  shutdown.add('rpc', () => void order.push('rpc'));
  const first = shutdown.stop();
  const second = shutdown.stop();
  t.equal(await first, false);
  t.equal(await second, false);
  t.same(order, ['rpc', 'chain', 'database']);
  t.same(
    log.entries.map((entry) => [entry.text, entry.values.part]),
    [
      ['stopped', 'rpc'],
      ['could not stop', 'chain'],
      ['stopped', 'database'],
    ],
  );
});

t.test('the first signal stops in order, the second at once', async (t) => {
  const source = new EventEmitter();
  const calls: string[] = [];
  const clock = new FakeClock();
  const remove = onSignals(source, new MemoryLog(), clock, {
    stop: () => calls.push('stop'),
    exitNow: (code) => calls.push(`exit ${code}`),
  });
  source.emit('SIGTERM');
  t.same(calls, ['stop']);
  clock.advance(400);
  source.emit('SIGTERM');
  source.emit('SIGINT');
  t.same(calls, ['stop'], 'what comes at once is the same wish, on its way through npm');
  clock.advance(100);
  source.emit('SIGINT');
  t.same(calls, ['stop', 'exit 130']);
  remove();
  t.equal(source.listenerCount('SIGINT') + source.listenerCount('SIGTERM'), 0);
});

t.test('the clock and the dice of the machine', async (t) => {
  const before = Date.now();
  const now = systemClock.nowMs();
  t.ok(before <= now && now <= Date.now());
  await new Promise<void>((resolve) => systemClock.after(1, resolve));
  const cancel = systemClock.after(1, () => t.fail('cancelled'));
  cancel();
  t.ok(systemClock.monotonicMs() > 0);
  t.equal(systemRandom.bytes(32).length, 32);
  t.notSame(systemRandom.bytes(16), systemRandom.bytes(16));
});
