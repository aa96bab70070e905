import type { ChainParameters } from '../../../src/protocol/chain-parameters.js';
import { committeeMemberObject } from '../../../src/state/objects/committee-member.js';
import { stakingObject } from '../../../src/state/objects/staking.js';
import { trustNodePledgeObject } from '../../../src/state/objects/trust-node-pledge.js';
import { witnessObject } from '../../../src/state/objects/witness.js';
import type { Choices, Given, Maker } from './choices.js';
import { extension } from './model.js';
import { STAKINGS } from './programs.js';
import { KEYS } from './signers.js';

const key = (c: Choices): string => c.random.pick(KEYS).publicKey;
const node = (c: Choices): number => c.row(witnessObject)?.id ?? c.random.below(9);

function ofWitness(c: Choices, more: Given): Given {
  const row = c.row(witnessObject);
  const witness_account = row !== undefined && c.chance(0.9) ? row.witness_account : c.account();
  return { witness: row?.id ?? c.random.below(9), witness_account, ...more };
}

function memberUpdate(c: Choices): Given {
  const row = c.row(committeeMemberObject);
  const committee_member_account = row !== undefined && c.chance(0.9) ? row.committee_member_account : c.account();
  return { committee_member: row?.id ?? c.random.below(9), committee_member_account, new_url: c.maybe(c.url()) };
}

type Program = readonly [string, { readonly staking_days: number; readonly weight: number }];

function stake(c: Choices): Given {
  const owner = c.account();
  const given = extension<{ params: Program[] }>(c.m.parameters.extensions, 11)?.params ?? [];
  const [program_id, { weight, staking_days }] = c.random.pick<Program>(given.length > 0 ? given : STAKINGS);
  return {
    owner,
    trust_node: node(c),
    amount: c.amountOf(owner, c.chance(0.95) ? 1 : c.asset()),
    program_id: c.chance(0.95) ? program_id : 'unknown',
    weight: (weight + (c.chance(0.05) ? 1 : 0)) >>> 0,
    staking_days: staking_days + (c.chance(0.05) ? 1 : 0),
  };
}

function ofStaking(c: Choices, more: Given): Given {
  const row = c.row(stakingObject);
  const owner = row !== undefined && c.chance(0.9) ? row.owner : c.account();
  return { owner, staking_id: row?.id ?? c.random.below(30), ...more };
}

/** The borders of each parameter. */
const BORDERS: Partial<Record<keyof ChainParameters, readonly number[]>> = {
  reserve_percent_of_fee: [0, 10_000, 10_001],
  network_percent_of_fee: [0, 7000, 7001, 10_000, 10_001, 65_535],
  lifetime_referrer_percent_of_fee: [0, 8000, 8001, 10_000, 10_001, 65_535],
  block_interval: [0, 1, 30, 31, 255],
  maintenance_interval: [0, 1, 5, 10, 86_399, 0xffff_ffff],
  maximum_transaction_size: [0, 1023, 1024],
  maximum_block_size: [0, 5119, 5120],
  maximum_time_until_expiration: [0, 5, 6],
  maximum_proposal_lifetime: [0, 1_209_605, 1_209_606, 1_209_600],
  committee_proposal_review_period: [0, 0xffff_ffff, 2_419_195, 2_419_194],
  accounts_per_fee_scale: [0, 1],
};

function parameters(c: Choices): Given {
  const changes = Object.entries(BORDERS).filter(() => c.chance(0.08));
  const changed = Object.fromEntries(changes.map(([name, borders]) => [name, c.random.pick(borders)]));
  return { new_parameters: { ...structuredClone(c.m.parameters), ...changed } };
}

export const NODE_MAKERS: Readonly<Record<number, Maker>> = {
  20: (c) => ({ witness_account: c.lifetime(), url: c.url(), block_signing_key: key(c) }),
  21: (c) => ofWitness(c, { new_url: c.maybe(c.url()), new_signing_key: c.maybe(key(c)) }),
  29: (c) => ({ committee_member_account: c.lifetime(), url: c.url() }),
  30: memberUpdate,
  31: parameters,
  77: (c) => ({
    witness_account: (c.chance(0.8) ? c.row(trustNodePledgeObject)?.owner_account : undefined) ?? c.account(),
  }),
  80: stake,
  81: (c) => ofStaking(c, { trust_node: node(c) }),
  82: (c) => ofStaking(c, {}),
  83: (c) => ofWitness(c, { commission_rate: c.pick(0, 1, 500, 1000, 1001, 0xffff_ffff) }),
  84: (c) => ofWitness(c, {}),
};
