import t from 'tap';
import { PeersCampaign } from './peers/campaign.js';

/** The short form of `npm run hostile -- --part peers`. */

const SECONDS = 15;
const WARM_SECONDS = 5;
const SEED = 20_261_122;
/** Of each, or the attack has not taken place. */
const KINDS = ['frames', 'handshakes', 'connections', 'half open', 'inventories', 'oversize', 'slow readers'];
/** Some of the ways in which connections end. */
const REASONS = ['key_invalid', 'hello_repeated', 'different_chain', 'message_unreadable', 'frame_too_large'];

t.test('a crowd of hostile peers', async (t) => {
  const folder = t.testdir();
  const campaign = new PeersCampaign({
    folder,
    seed: SEED,
    seconds: SECONDS,
    warmSeconds: WARM_SECONDS,
    // Beside other test files; the long form is strict.
    machineMayBeBusy: true,
  });
  const { problems, lines, tally, reasons } = await campaign.run();
  for (const line of lines) t.comment(line);
  t.same(problems, [], 'the node has withstood');
  for (const kind of KINDS) t.ok(tally.kinds.has(kind), kind);
  for (const reason of REASONS) t.ok(reasons.has(reason), reason);
  t.ok(tally.inputs > 500, `${tally.inputs} inputs`);
});
