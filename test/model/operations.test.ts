import t from 'tap';
import { ChainError } from '../../src/base/errors.js';
import { definitionOf } from '../../src/operations/registered.js';
import type { OperationBody } from '../../src/protocol/operation-slot.js';
import { SeededRandom } from '../sim/random.js';
import { isAccountName } from './account-rules.js';
import { isSymbol } from './asset-rules.js';
import { AuthorityWorld } from './authority-world.js';
import { RULES } from './rules.js';
import { disagreement } from './steps.js';
import { World } from './worlds.js';

const FIRST = Number(process.env.TRUSTNODE_MODEL_SEED ?? 1);
/** More of them for longer than a test run has time. */
const WORLDS = Number(process.env.TRUSTNODE_MODEL_WORLDS ?? 55);
const OPERATIONS = 120;
const AUTHORITY_WORLDS = Math.ceil(WORLDS / 3);
const CASES = 100;

const seeds = (count: number): number[] => Array.from({ length: count }, (_, i) => FIRST + i);

t.test('operations do what a model says that was written from the texts alone', async (t) => {
  const seen = { accepted: new Set<number>(), reasons: new Set<string>(), reviewed: 0 };
  for (const seed of seeds(WORLDS)) {
    t.equal(disagreement(new World(seed, seen), OPERATIONS), undefined, `seed ${seed}`);
  }
  const { accepted, reviewed } = seen;
  const missing = RULES.filter(({ tag, run }) => run !== undefined && !accepted.has(tag)).map(({ tag }) => tag);
  t.same(
    missing.map((tag) => definitionOf(tag).name),
    [],
    'each kind was accepted somewhere',
  );
  t.ok(reviewed > 0, 'proposals were carried out at the end of their review');
});

t.test('so do signatures and approvals', async (t) => {
  const verdicts = new Set<string>();
  for (const seed of seeds(AUTHORITY_WORLDS)) {
    const world = new AuthorityWorld(seed);
    t.equal(world.run(CASES), undefined, `seed ${seed}`);
    for (const verdict of world.verdicts) verdicts.add(verdict);
  }
  t.equal(verdicts.size, 7, 'allowed, and refused for every reason');
});

const NAMES = 2000;
const LETTERS = [...'abcde-z19', ...'ab.-1AeyZ/é_\0 '];
const CAPITALS = [...'ABITZ.09', ...'ABIT.a-9É'];

function isValid(tag: number, given: object): boolean {
  const { schema, validate } = definitionOf(tag);
  try {
    validate({ ...schema.default(), ...given } as OperationBody & Record<string, never>);
    return true;
  } catch (error) {
    if (!(error instanceof ChainError)) throw error;
    return false;
  }
}

t.test('so do names of accounts and symbols of assets', async (t) => {
  const random = new SeededRandom(FIRST);
  const word = (alphabet: readonly string[], max: number): string => {
    const some = random.shuffle(alphabet).slice(0, random.between(1, 5));
    return Array.from({ length: random.pick([0, 1, 2, 3, 4, 5, max - 1, max, max + 1]) }, () => random.pick(some)).join(
      '',
    );
  };
  const auth = { weight_threshold: 1, account_auths: [[6, 1]], key_auths: [], address_auths: [] };
  const options = definitionOf(10).schema.default() as unknown as { common_options: object };
  const core_exchange_rate = { base: { amount: 1n, asset_id: 1 }, quote: { amount: 1n, asset_id: 2 } };
  const wrong: string[] = [];
  let good = 0;
  for (let i = 0; i < NAMES; i++) {
    const name = word(LETTERS, 63);
    const symbol = word(CAPITALS, 16);
    good += Number(isAccountName(name)) + Number(isSymbol(symbol));
    if (isValid(5, { name, owner: auth, active: auth }) !== isAccountName(name)) wrong.push(name);
    const common_options = { ...options.common_options, core_exchange_rate };
    if (isValid(10, { symbol, common_options }) !== isSymbol(symbol)) wrong.push(symbol);
  }
  t.same(wrong, []);
  t.ok(good > NAMES / 10, 'there are good ones among them');
});
