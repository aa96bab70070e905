import t from 'tap';
import { openRecorded, recordedHistory } from './support/frozen.js';
import { directWay, FrozenSession } from './support/frozen-session.js';

const history = await recordedHistory();
t.teardown(() => history.close());
const { wallet, clock, folder, remove } = await openRecorded('10-frozen-start.json', history.link, 1_795_293_900_000);
t.teardown(remove);

t.test('the recorded sessions on the frozen chain', { timeout: 600_000 }, async (t) => {
  const session = new FrozenSession(directWay(wallet, clock), folder);
  await session.run();
  t.comment(JSON.stringify(Object.fromEntries(session.counts)));
  for (const { what, wanted, found } of session.differing) t.fail(what, { wanted, found });
  t.equal(session.equal, 520, 'answers that are equal, but for what the rules name');
});
