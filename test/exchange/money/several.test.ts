import t from 'tap';
import { hasNoPostgres, PostgresServer } from '../../services/postgres/server.js';
import { ballotFaults, type VoteFound } from './ballots.js';
import { moneyRun } from './money-run.js';
import { type OwnerChange, ownerFaults } from './owners.js';

/** The short form of `npm run money -- --postgres`: three exchanges and three markets over one database. */

const SEED = Number(process.env.TRUSTNODE_MONEY_SEED ?? 1);
/** Enough for everything to go wrong once, whatever time that takes. */
const PURCHASES = 30;

t.test(`several instances while everything goes wrong, seed ${SEED}`, { skip: hasNoPostgres }, async (t) => {
  const server = await PostgresServer.start();
  t.teardown(() => server.remove());
  const { problems, begun, delivered, lost, charges, counts } = await moneyRun({
    folder: t.testdir(),
    seed: SEED,
    purchases: PURCHASES,
    atOnce: 15,
    seconds: Number.POSITIVE_INFINITY,
    releaseAt: ['included'],
    say: (line) => t.comment(line),
    several: { server, instances: 3, waitsForLetters: false },
  });
  t.comment(`${begun} purchases, ${delivered} deliveries, ${charges} charges, ${lost} lost; ${counts.text}`);
  t.same(problems, []);
  t.equal(begun, PURCHASES);
  t.ok(charges > 0 && delivered === charges + lost, `${delivered} deliveries, ${charges} charges, ${lost} lost`);
  const { text } = counts;
  t.match(text, /the database (restarted|killed): [1-9]/);
  t.match(text, /(^|, )killed a/, 'exchanges');
  t.match(text, /a market killed a/);
  t.match(text, /[1-9]\d* votes/);
});

const change: OwnerChange = { signature: 'ab', former: 'one', former_until_ms: 99, owner: 'two', at_ms: 100 };

t.test('a leg that two have at once is seen', async (t) => {
  t.same(ownerFaults([change, { ...change, former_until_ms: 0 }]), []);
  t.match(ownerFaults([{ ...change, former_until_ms: 100 }]), [/went from one to two/]);
});

const KINDS = ['VOTE_CREATED 2', 'VOTE_CREATED 3', 'VOTE_CLOSED 1', 'VOTE_CLOSED 2', 'VOTE_CLOSED 3'];
const letter = { merchant: 2, state: 'sent', received: 1 };
const vote: VoteFound = {
  ...{ vote: 7, status: 'PASS', electors: 3, counted: [1, 0], ballots: 3, notifications: KINDS },
  letters: [letter, { ...letter, merchant: 3 }],
};

t.test('whatever is there twice, or not at all, is seen', async (t) => {
  t.same(ballotFaults([vote], 0), []);
  const broken: readonly [Partial<VoteFound>, RegExp][] = [
    [{ status: 'INPROGRESS' }, /all agree, and it is INPROGRESS/],
    [{ electors: 2, letters: [letter], notifications: KINDS.slice(1, 4) }, /2 electors of 3/],
    [{ ballots: 4 }, /4 ballots of 3/],
    [{ counted: [2, 0] }, /counts 2 times/],
    [{ notifications: [...KINDS, 'VOTE_CLOSED 1'] }, /6 notifications, 5 different/],
    [{ letters: [letter] }, /1 letters to 2/],
    [{ letters: [letter, letter] }, /two letters to one member/],
    [{ letters: [letter, { ...letter, merchant: 3, received: 0 }] }, /is sent, and never came/],
    [{ letters: [letter, { ...letter, merchant: 3, state: 'dead' }] }, /is dead/],
    [{ letters: [letter, { ...letter, merchant: 3, received: 2 }] }, /1 letters came again, and 0/],
  ];
  for (const [more, expected] of broken) t.match(ballotFaults([{ ...vote, ...more }], 0).join('; '), expected);
  const twice = { ...vote, letters: [letter, { ...letter, merchant: 3, received: 2 }] };
  t.same(ballotFaults([twice], 1), [], 'its bearer was killed');
});
