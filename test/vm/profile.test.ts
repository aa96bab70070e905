import t from 'tap';
import { ChainError } from '../../src/base/errors.js';
import { contractKeys } from '../../src/vm/keys.js';
import type { ActionProfile } from '../../src/vm/profile.js';
import { createContractEngine } from '../../src/vm/runtime.js';
import { ContractWorld } from '../support/contract-world.js';
import { exampleContract } from '../support/example-contracts.js';
import { NETWORK } from '../support/network.js';

const CONTRACT = 2000;
const hex = (text: string): string => Buffer.from(text).toString('hex');
const WRITE = `04${hex('milk')}03`;

function newWorld(profiles?: ActionProfile[]): ContractWorld {
  const profiler = profiles === undefined ? undefined : { onAction: (one: ActionProfile) => profiles.push(one) };
  const world = new ContractWorld(createContractEngine(contractKeys(NETWORK), profiler));
  const { code, abi } = exampleContract('notes');
  world.deploy(CONTRACT, code, abi.actions);
  return world;
}

t.test('a profile changes nothing and adds up', async (t) => {
  const profiles: ActionProfile[] = [];
  const plain = newWorld();
  const profiled = newWorld(profiles);
  for (const [method, data] of [
    ['write', WRITE],
    ['write', `02${hex('ab')}05`],
    ['best', '0a000000'],
    ['tidy', '05'],
  ] as const) {
    const a = plain.call(CONTRACT, method, { data });
    const b = profiled.call(CONTRACT, method, { data });
    const profile = profiles.at(-1) as ActionProfile;
    t.equal(b.session.instructionsUsed, a.session.instructionsUsed, `${method}: the same price`);
    t.same(b.ram, a.ram);
    t.equal(b.console, a.console);
    t.equal(profile.instructions, a.session.instructionsUsed);
    let sum = profile.start;
    for (const { instructions } of [...profile.functions, ...profile.host.values()]) sum += instructions;
    t.equal(sum, profile.instructions, `${method}: nothing is left over where memory does not grow`);
    t.ok(profile.functions.some(({ calls, instructions }) => calls === 1n && instructions > 0n));
  }
  t.equal(profiles.length, 4);
  t.equal(profiles[0]?.host.get('db_store_i64')?.calls, 1n);
  t.equal(profiles[0]?.host.get('db_idx64_store')?.calls, 2n);
  t.equal(profiles[2]?.host.get('db_store_i64'), undefined, 'every action counts by itself');
});

t.test('a failing action has a profile too', async (t) => {
  const profiles: ActionProfile[] = [];
  const world = newWorld(profiles);
  t.throws(() => world.call(CONTRACT, 'write', { data: '04' }), ChainError);
  t.equal(profiles.length, 1);
  t.equal(profiles[0]?.host.get('graphene_assert_message')?.calls, 1n);
});
