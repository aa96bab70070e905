import t from 'tap';
import { eventually } from '../../support/eventually.js';
import { NodeBuyer } from '../support/buyers.js';
import { DesWorld, sell } from '../support/des-world.js';
import { honest, type SourceServer } from '../support/source-server.js';

/** Requests whose lease ends while this instance still waits for their source. */

const world = await DesWorld.start(t);
const [one] = (await world.sources(t, ['slow-seller'])) as [SourceServer];

t.test('the answer that comes then is not put in the place of what that instance is told', async (t) => {
  const patient = { 'source-timeout': '60', 'connect-timeout': '30', 'clock-skew': '60000' };
  const exchange = await world.exchange(t, patient);
  const { db, url, log } = exchange;
  await sell(db, { id: 1, members: [one] });
  await world.isThere(exchange, one, [1]);
  let answerNow: () => void = () => undefined;
  const mayAnswer = new Promise<void>((resolve) => {
    answerNow = resolve;
  });
  one.behaviour = async (...given) => {
    await mayAnswer;
    await honest(...given);
  };
  const buyer = new NodeBuyer(url, world.alice);
  await buyer.create(1, buyer.elements(await buyer.product(1), { name: 'x' }));
  await eventually('the question', () => one.questions.length === 1);
  const other = { lease_owner: 'another one', lease_until_ms: Date.now() + 3_600_000 };
  await db.updateTable('payment').set(other).execute();
  await db.updateTable('des_leg').set({ data: 'what that one was told' }).execute();
  answerNow();
  const NOTED = 'an answer came to a request that another instance has taken up';
  await eventually('the answer', () => log.texts('info').includes(NOTED));
  t.match(await db.selectFrom('des_leg').select(['data', 'outcome']).execute(), [
    { data: 'what that one was told', outcome: null },
  ]);
  t.match(await db.selectFrom('payment').selectAll().execute(), [{ ...other, state: 'reserved' }]);
});

t.test('one that nobody else has taken up is not begun anew beside the question that is open', async (t) => {
  const patient = { 'source-timeout': '600', 'connect-timeout': '30', 'clock-skew': '60000', lease: '60' };
  const exchange = await world.exchange(t, patient);
  const { db, url, clock } = exchange;
  await sell(db, { id: 1, members: [one] });
  await world.isThere(exchange, one, [1]);
  one.questions.length = 0;
  let answerNow: () => void = () => undefined;
  const mayAnswer = new Promise<void>((resolve) => {
    answerNow = resolve;
  });
  one.behaviour = async (...given) => {
    await mayAnswer;
    await honest(...given);
  };
  const buyer = new NodeBuyer(url, world.alice);
  const { body } = await buyer.create(1, buyer.elements(await buyer.product(1), { name: 'x' }));
  await eventually('the question', () => one.questions.length === 1);
  const leaseOf = async () =>
    (await db.selectFrom('payment').select('lease_until_ms').executeTakeFirstOrThrow()).lease_until_ms;
  // As after a sleep of the machine.
  clock.move(120_000);
  const movedMs = clock.nowMs();
  await eventually('it is taken for left behind', async () => (await leaseOf()) > movedMs);
  // Whatever was begun with that is answered first.
  await buyer.product(1);
  answerNow();
  const result = await buyer.result((body as { request_id: string }).request_id, 60_000);
  t.match(result, { datasources: [{ status: 'SUCCESS' }] });
  t.equal(one.questions.length, 1);
});
