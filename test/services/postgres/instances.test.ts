import { spawn } from 'node:child_process';
import { hostname } from 'node:os';
import type { Kysely } from 'kysely';
import { Registry } from 'prom-client';
import t, { type Test } from 'tap';
import type { Clock } from '../../../src/base/world.js';
import { systemClock } from '../../../src/node/runtime/clock.js';
import { systemRandom } from '../../../src/node/runtime/random.js';
import { openDatabase } from '../../../src/services/common/database.js';
import { INSTANCE_TABLES, Instances, type InstanceTables } from '../../../src/services/common/instances.js';
import { processNumbering } from '../../../src/services/common/numbering.js';
import { eventually } from '../../support/eventually.js';
import { MemoryLog } from '../../support/memory-log.js';
import { hasNoPostgres, PostgresServer } from './server.js';

/** Who may work on a database together, and who is still alive on it. */

const skip = hasNoPostgres;
const server = skip === false ? await PostgresServer.start() : undefined;
t.teardown(() => server?.remove());
const LOOK_MS = 20;
let databases = 0;

interface Place {
  readonly db: Kysely<InstanceTables>;
  readonly at: string;
}

async function opened(t: Test): Promise<Place> {
  const at = (await server?.database(`instances${databases++}`)) as string;
  const db = await openDatabase<InstanceTables>(at, [INSTANCE_TABLES]);
  t.teardown(() => db.destroy());
  return { db, at };
}

async function entered(
  t: Test,
  place: Place,
  service: string,
  agreed: Readonly<Record<string, string>>,
  clock: Clock = systemClock,
) {
  const [registry, log] = [new Registry(), new MemoryLog()];
  const world = { clock, random: systemRandom, log };
  const instances = await Instances.enter({ ...place, service, agreed, registry, ...world });
  t.teardown(() => instances.leave());
  return { instances, registry, log };
}

const DES = { chain: 'ab', account: '1.2.18', blocks: 'cd' };
const refused = (what: string, theirs: string, mine: string) => ({
  key: 'instance_disagrees',
  message: new RegExp(`with ${what} ${theirs}, and this one would with ${what} ${mine}$`),
});

/** Seen so long ago, by the clock of the database. */
async function row(
  { db }: Place,
  given: { id?: string; host: string; pid: number; secondsAgo: number; account?: string },
): Promise<void> {
  const { host, pid, secondsAgo, id = `${host}-${pid}`, account = '1.2.99' } = given;
  const seen_ms = Date.now() - secondsAgo * 1000;
  const agreed = JSON.stringify({ ...DES, account });
  await db
    .insertInto('service_instance')
    .values({ id, service: 'des', host, pid, agreed, started_ms: 0, seen_ms })
    .execute();
}

t.test('those that agree are counted, those that do not are refused by name', { skip }, async (t) => {
  const place = await opened(t);
  const first = await entered(t, place, 'des', DES);
  const second = await entered(t, place, 'des', DES);
  await entered(t, place, 'market', { chain: 'ab', account: 'none of its own' });
  const shown = await first.registry.metrics();
  t.match(shown, /^trustnode_service_instances\{service="des"\} 2$/m);
  t.match(shown, /^trustnode_service_instances\{service="market"\} 1$/m);
  const twice = await Promise.all([first.registry.metrics(), first.registry.metrics()]);
  t.same(twice, [shown, shown], 'also where two ask at the same moment');
  await t.rejects(entered(t, place, 'des', { ...DES, account: '1.2.19' }), refused('account', '1.2.18', '1.2.19'));
  await t.rejects(entered(t, place, 'des', { ...DES, blocks: 'ef' }), refused('blocks', 'cd', 'ef'));
  await t.rejects(entered(t, place, 'storage', { chain: 'cd' }), refused('chain', 'ab', 'cd'), 'of whatever service');
  t.match(await first.registry.metrics(), /\{service="des"\} 2$/m, 'what was refused is not there');
  await Promise.all([first.instances.leave(), second.instances.leave()]);
  await entered(t, place, 'des', { ...DES, account: '1.2.19' });
});

t.test('of two that start at the same moment and disagree one does', { skip }, async (t) => {
  const place = await opened(t);
  const both = await Promise.allSettled(['1', '2'].map((account) => entered(t, place, 'des', { ...DES, account })));
  t.same(both.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
});

t.test('another machine is alive for half a minute after it was seen', { skip }, async (t) => {
  const place = await opened(t);
  await row(place, { host: 'elsewhere', pid: 1, secondsAgo: 15 });
  await t.rejects(entered(t, place, 'des', DES), refused('account', '1.2.99', '1.2.18'));
  await place.db.deleteFrom('service_instance').execute();
  await row(place, { host: 'elsewhere', pid: 1, secondsAgo: 40 });
  await entered(t, place, 'des', DES);
});

t.test('what was killed on this machine is in nobody’s way', { skip }, async (t) => {
  const place = await opened(t);
  const child = spawn(process.execPath, ['-e', 'setInterval(() => 0, 1000)'], { stdio: 'ignore' });
  const ended = new Promise((done) => child.once('exit', done));
  t.teardown(() => child.kill('SIGKILL'));
  await row(place, { host: hostname(), pid: child.pid as number, secondsAgo: 1 });
  await t.rejects(entered(t, place, 'des', DES), refused('account', '1.2.99', '1.2.18'));
  child.kill('SIGKILL');
  await ended;
  await entered(t, place, 'des', DES);
  await place.db.deleteFrom('service_instance').execute();
  await row(place, { host: hostname(), pid: process.pid, secondsAgo: 1 });
  await entered(t, place, 'des', DES);
});

t.test('only what was killed here is left to the next one', { skip }, async (t) => {
  const place = await opened(t);
  const [host, { account }] = [hostname(), DES];
  const here = processNumbering();
  const alive = spawn(process.execPath, ['-e', 'setInterval(() => 0, 1000)'], { stdio: 'ignore' });
  const ended = new Promise((done) => alive.once('exit', done));
  t.teardown(() => alive.kill('SIGKILL'));
  await row(place, { id: `${here}01`, host, pid: alive.pid as number, secondsAgo: 40, account });
  // A container of the same name, whose first process has this one's number or none that is known here.
  await row(place, { id: 'elsewhere', host, pid: process.pid, secondsAgo: 1, account });
  const first = await entered(t, place, 'des', DES);
  t.same(first.instances.killed, []);
  await row(place, { id: `${here}02`, host, pid: alive.pid as number, secondsAgo: 40, account });
  alive.kill('SIGKILL');
  await ended;
  const second = await entered(t, place, 'des', DES);
  t.same(second.instances.killed, [`${here}02`], 'however long ago it was seen');
  t.ok(second.instances.id.startsWith(here));
});

/** What is due happens when the test says so. */
class HandClock implements Clock {
  #due: (() => void) | undefined;

  nowMs = (): number => systemClock.nowMs();
  monotonicMs = (): number => systemClock.monotonicMs();

  after(_delayMs: number, run: () => void): () => void {
    this.#due = run;
    return () => undefined;
  }

  /** The next one is due when it is over. */
  async strike(): Promise<void> {
    const due = this.#due;
    this.#due = undefined;
    due?.();
    await eventually('the end of what was due', () => this.#due !== undefined, LOOK_MS);
  }
}

t.test('it is seen again and again, and one that stood still has to ask anew', { skip }, async (t) => {
  const place = await opened(t);
  const clock = new HandClock();
  const { instances, log } = await entered(t, place, 'des', DES, clock);
  const all = () => place.db.selectFrom('service_instance').select(['host', 'seen_ms']).execute();
  await place.db.updateTable('service_instance').set({ seen_ms: 0 }).execute();
  await clock.strike();
  t.ok(((await all())[0]?.seen_ms ?? 0) > 0, 'by the clock of the database');
  await place.db.deleteFrom('service_instance').execute();
  await clock.strike();
  t.match(await all(), [{ host: hostname() }], 'there again');
  t.equal(instances.trouble, undefined);
  await place.db.deleteFrom('service_instance').execute();
  await row(place, { host: 'elsewhere', pid: 1, secondsAgo: 1 });
  await clock.strike();
  t.equal(instances.trouble, 'another instance works on the database with other values', 'which, nobody else is told');
  t.match(log.entries.at(-1)?.values.error, refused('account', '1.2.99', '1.2.18'));
  t.match(await all(), [{ host: 'elsewhere' }]);
  await place.db.deleteFrom('service_instance').execute();
  await clock.strike();
  t.equal(instances.trouble, undefined, 'and over with the other one');
});
