import t from 'tap';
import { eachFrom, eachOfGroup } from '../../src/rpc/objects/walk.js';
import type { Pieces } from '../../src/rpc/pieces/pieces.js';
import type { ChainPort } from '../../src/rpc/ports.js';
import { leagueObject } from '../../src/state/objects/data-market.js';
import { stakingObject } from '../../src/state/objects/staking.js';
import { BareWorld } from '../support/bare-world.js';

const COUNT = 600;
const nameOf = (i: number): string => `league ${String(i).padStart(4, '0')}`;

/** Ids in the order of the visits; `meanwhile` happens at the first place where the work is left. */
function visited(walk: (visit: (object: { readonly id: number }) => void) => Pieces<void>, meanwhile: () => void) {
  const ids: number[] = [];
  let pauses = 0;
  for (const work = walk(({ id }) => ids.push(id)); work.next().done !== true; ) if (pauses++ === 0) meanwhile();
  return { ids, pauses };
}

t.test('a walk in the order of an index goes on where it was, whatever became of the object there', async (t) => {
  const run = (meanwhile: (w: BareWorld, last: number) => void) => {
    const w = new BareWorld();
    // Behind them there are those of another category.
    for (let i = 0; i < 2 * COUNT; i++) {
      w.create(leagueObject, { league_name: nameOf(i), category_id: i < COUNT ? 3 : 4 });
    }
    const chain = { state: w.state } as unknown as ChainPort;
    let last = -1;
    const walk = visited(
      (visit) =>
        eachFrom(
          chain,
          leagueObject.by.categoryName,
          [3],
          ({ category_id }) => category_id === 3,
          (league) => {
            last = league.id;
            visit(league);
          },
        ),
      () => meanwhile(w, last),
    );
    t.equal(walk.pauses, 2);
    return walk.ids;
  };
  const rename = (w: BareWorld, id: number, league_name: string): void =>
    w.state.modify(leagueObject, w.state.get(leagueObject, id), (o) => {
      o.league_name = league_name;
    });
  const all = Array.from({ length: COUNT }, (_, i) => i);
  t.same(
    run(() => undefined),
    all,
  );
  t.same(
    run((w, last) => rename(w, last, 'a')),
    all,
    'it moved to the front',
  );
  t.same(
    run((w, last) => w.state.remove(leagueObject, w.state.get(leagueObject, last))),
    all,
    'it is gone',
  );
  t.same(
    run((w, last) => rename(w, last, 'z')),
    [...all, 255],
    'it moved to the end and has its turn there',
  );
  t.same(
    run((w, last) => rename(w, last + 1, 'a')),
    all.filter((id) => id !== 256),
    'the next one moved away',
  );
  t.same(
    run((w, last) => rename(w, last + 3, nameOf(last))),
    [...all.slice(0, 256), 258, 256, 257, ...all.slice(259)],
  );
});

t.test('a walk through a group goes on behind the last id, and sees who came meanwhile', async (t) => {
  const w = new BareWorld();
  const create = (): unknown => w.create(stakingObject, { owner: 7, trust_node: 0 });
  for (let i = 0; i < COUNT; i++) create();
  const chain = { state: w.state } as unknown as ChainPort;
  const { ids, pauses } = visited(
    (visit) => eachOfGroup(chain, stakingObject.by.owner, 7, visit),
    () => {
      for (const id of [3, 255, 256]) w.state.remove(stakingObject, w.state.get(stakingObject, id));
      create();
    },
  );
  t.equal(pauses, 2);
  t.same(
    ids,
    Array.from({ length: COUNT + 1 }, (_, i) => i).filter((id) => id !== 256),
  );
});
