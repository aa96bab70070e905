import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t, { type Test } from 'tap';
import { hasNoPostgres } from '../services/postgres/server.js';

/** `npm run exchange`: all programs as people run them, market and exchange over one database, and what is billed. */

const PROGRAM = fileURLToPath(new URL('./run.js', import.meta.url));

class Run {
  readonly child: ChildProcess;
  output = '';
  code: number | null | undefined;
  #watch: () => void = () => undefined;
  readonly ended: Promise<void>;

  constructor(t: Test, args: readonly string[]) {
    this.child = spawn(process.execPath, [PROGRAM, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
    t.teardown(() => this.child.kill('SIGKILL'));
    for (const stream of [this.child.stdout, this.child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.output += text;
        this.#watch();
      });
    }
    this.ended = new Promise((done) =>
      this.child.on('close', (code) => {
        this.code = code;
        this.#watch();
        done();
      }),
    );
  }

  async until(pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const found = pattern.exec(this.output);
      if (found !== null) return found;
      if (this.code !== undefined) throw new Error(`it ended without ${pattern}: ${this.output}`);
      await new Promise<void>((resolve) => {
        this.#watch = resolve;
      });
    }
  }

  /** As a terminal would: what it has begun is to end too. */
  async end(): Promise<readonly number[]> {
    const children = childrenOf(this.child.pid as number);
    this.child.kill('SIGINT');
    await this.ended;
    return children;
  }
}

/** Where the system tells it. */
function childrenOf(pid: number): number[] {
  if (!existsSync('/proc/self/stat')) return [];
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((one) => parentOf(one) === pid);
}

function parentOf(pid: number): number | undefined {
  try {
    return Number(/\) \S (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'latin1'))?.[1]);
  } catch {
    // It has ended meanwhile.
    return undefined;
  }
}

async function play(t: Test, folder: string, ...more: readonly string[]): Promise<Run> {
  const run = new Run(t, ['--data-dir', folder, ...more]);
  await run.until(/node +http:\/\/127\.0\.0\.1:\d+/);
  await run.until(/account +element-seller 1\.2\.\d+, its key is 5\w+/);
  for (const service of ['market', 'exchange', 'storage', 'gateway', 'data source']) {
    await run.until(new RegExp(`${service} +http://127\\.0\\.0\\.1:\\d+/`));
  }
  await run.until(/product +http:\S+\/market\/product\/1 /);
  await run.until(/answer +http:\S+\/api\/request\/[0-9a-f]{64} +\{"name":"Iron","number":26,"mass":55\.845\}/);
  await run.until(/payment +[0-9a-f]{40} in block \d+/);
  await run.until(/all of it is up; Ctrl-C ends it/);
  return run;
}

t.test('a purchase, Ctrl-C, and once more over the same data', async (t) => {
  const folder = join(t.testdir(), 'played');
  const first = await play(t, folder);
  t.match(first.output, /bill +http:\S+ +the buyer has paid 0\.01, and has 499\.99 left/);
  t.match(first.output, /income +http:\S+ +the seller got 0\.009 of 0\.01 for 1 answers/);
  const children = await first.end();
  t.equal(first.code, 0, first.output);
  t.match(first.output, /ending all programs/);
  if (existsSync('/proc/self/stat')) t.equal(children.length, 6, 'node and five services');
  t.same(
    children.filter((pid) => existsSync(`/proc/${pid}`)),
    [],
    'none of them is left',
  );
  const second = await play(t, folder);
  t.match(second.output, /the buyer has paid 0\.02, and has 499\.98 left/);
  t.match(second.output, /the seller got 0\.018 of 0\.02 for 2 answers/);
  await second.end();
  t.equal(second.code, 0, second.output);
  t.ok(existsSync(join(folder, 'exchange', 'exchange.db')), 'what was asked for stays');
});

t.test('the same over a PostgreSQL of its own', { skip: hasNoPostgres }, async (t) => {
  const folder = join(t.testdir(), 'served');
  const run = await play(t, folder, '--postgres');
  t.match(run.output, /database +postgres:\/\/trustnode@127\.0\.0\.1:\d+\/postgres /);
  t.match(run.output, /the buyer has paid 0\.01, and has 499\.99 left/);
  const [, market = ''] = /market +(http:\S+)\/ /.exec(run.output) ?? [];
  const [, gateway = ''] = /gateway +(http:\S+)\/ /.exec(run.output) ?? [];
  const settings = (await (await fetch(`${market}/market/settings`)).json()) as { data: object };
  t.match(settings.data, { gateway }, 'newcomers can register on the page');
  const children = await run.end();
  t.equal(run.code, 0, run.output);
  if (existsSync('/proc/self/stat')) t.equal(children.length, 7, 'PostgreSQL, node and five services');
  t.same(
    children.filter((pid) => existsSync(`/proc/${pid}`)),
    [],
    'none of them is left',
  );
  t.ok(existsSync(join(folder, 'postgres', 'data', 'PG_VERSION')), 'what was asked for stays');
  t.notOk(existsSync(join(folder, 'exchange', 'exchange.db')), 'and no service has a file');
});

t.test('ended before it is up, without a folder of its own', async (t) => {
  const run = new Run(t, []);
  const [, folder = ''] = await run.until(/data in +(\S+)/);
  const children = async (): Promise<readonly number[]> => run.end();
  await run.until(/node +http/);
  const left = (await children()).filter((pid) => existsSync(`/proc/${pid}`));
  t.equal(run.code, 0, run.output);
  t.same(left, []);
  t.notOk(existsSync(folder), 'nothing is left');
});
