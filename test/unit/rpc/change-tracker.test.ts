import t from 'tap';
import type { UndoneChange } from '../../../src/chain/events.js';
import { ChangeTracker } from '../../../src/rpc/objects/change-tracker.js';
import { accountObject } from '../../../src/state/objects/account.js';

/** Objects as they are after the switch to another branch; the tracker asks for nothing else of a chain. */
const now = new Map<number, object>();
const chain = {
  state: { find: (_definition: unknown, instance: number) => now.get(instance) },
} as unknown as ConstructorParameters<typeof ChangeTracker>[0];

const undone = (instance: number, value: object | undefined): UndoneChange =>
  ({ definition: accountObject, instance, value }) as unknown as UndoneChange;

t.test('what undone blocks have changed, as it is now', async (t) => {
  const [told, back] = [{ name: 'as it was told' }, { name: 'as it is again' }];
  now.set(1, back).set(3, back);
  const tracker = new ChangeTracker(chain);
  t.notOk(tracker.hasRewound);
  tracker.undone([undone(1, told), undone(2, told), undone(3, undefined), undone(4, undefined)]);
  tracker.undone([undone(1, { name: 'what an earlier block had made of it' })]);
  t.ok(tracker.hasRewound);
  t.same(
    tracker.rewound().map(({ instance, value, isNew, before }) => ({ instance, value, isNew, before })),
    [
      { instance: 1, value: back, isNew: false, before: undefined },
      { instance: 2, value: undefined, isNew: false, before: told },
      { instance: 3, value: back, isNew: true, before: undefined },
    ],
    'changed back; gone, with what it was; there again. What was never told of and is not there is nothing',
  );
  tracker.applied(() => [undone(2, undefined)]);
  t.same(
    tracker.rewound().map(({ instance }) => instance),
    [1, 3],
    'a block has told of it since',
  );
  tracker.forget();
  t.same(tracker.rewound(), []);
});
