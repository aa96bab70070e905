import t from 'tap';
import { compareHistory, compareStates, recordedObjects, stateAsJson, toldOperations } from '../support/golden.js';
import { walletVector } from '../support/wallet-vectors.js';
import { pushRecorded, recordedBeginning } from '../wallet/support/frozen.js';

/**
 * Another chain of the reference, which its wallet has filled: it begins before fork 1008, sleeps for eight years and
 * goes on by one witness alone. Proposals of all kinds, hidden amounts, contracts and the data market are in it.
 */
t.test('a second chain of the reference gives the recorded state and history', async (t) => {
  const chain = recordedBeginning();
  const told = toldOperations(chain);
  pushRecorded(chain);
  t.equal(chain.blocks.head.number, 474);
  const expected = recordedObjects(walletVector('state-474.jsonl.gz'));
  t.equal(expected.size, 2466, 'the dump is whole');
  const actual = chain.snapshots.withHeadState(stateAsJson);
  // The transactions that a node remembers against repetition were not dumped.
  t.same(compareStates(expected, actual, ['2.7.']), []);
  t.equal(told.length, 365);
  t.same(compareHistory(expected, told), []);
});
