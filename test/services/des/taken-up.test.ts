import t from 'tap';
import { eventually } from '../../support/eventually.js';
import { NodeBuyer } from '../support/buyers.js';
import { DesWorld, sell } from '../support/des-world.js';
import { honest, type SourceServer } from '../support/source-server.js';

/** A request that another instance has taken up while this one still waits for its source. */

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
