import { makeAsset } from '../../../src/protocol/asset.js';
import { accountObject } from '../../../src/state/objects/account.js';
import { committeeMemberObject } from '../../../src/state/objects/committee-member.js';
import { stakingObject } from '../../../src/state/objects/staking.js';
import { trustNodePledgeObject } from '../../../src/state/objects/trust-node-pledge.js';
import { witnessObject } from '../../../src/state/objects/witness.js';
import { isLifetimeMember } from '../../../src/state/rules/accounts.js';
import { stakingPrograms, voteParameters } from '../../../src/state/rules/parameters.js';
import { blockKeyOf } from './keys.js';
import { BUILT_IN_COUNT, type Kind, type Scene } from './scene.js';

function newcomer(scene: Scene, isCandidate: (id: number) => boolean): number | undefined {
  return scene.accountWhere((one) => one.id >= BUILT_IN_COUNT && isLifetimeMember(one) && !isCandidate(one.id))?.id;
}

const nameOf = (scene: Scene, id: number): string => scene.state.get(accountObject, id).name;

const witnessCreate: Kind = {
  name: 'witness_create',
  weight: 1,
  make(scene) {
    const witness_account = newcomer(scene, (id) => scene.state.findBy(witnessObject.by.account, id) !== undefined);
    if (witness_account === undefined) return undefined;
    const block_signing_key = blockKeyOf(nameOf(scene, witness_account)).publicKey;
    return scene.op(this.name, { witness_account, url: 'u', block_signing_key });
  },
};

const witnessUpdate: Kind = {
  name: 'witness_update',
  weight: 2,
  make(scene) {
    const witness = scene.witness();
    const name = nameOf(scene, witness.witness_account);
    const new_signing_key = blockKeyOf(scene.random.chance(0.5) ? name : `${name} second`).publicKey;
    const given = { witness: witness.id, witness_account: witness.witness_account };
    return scene.op(this.name, scene.random.chance(0.5) ? { ...given, new_signing_key } : { ...given, new_url: 'new' });
  },
};

const setCommission: Kind = {
  name: 'witness_set_commission',
  weight: 2,
  make(scene) {
    const witness = scene.witness();
    const given = { witness: witness.id, witness_account: witness.witness_account };
    return scene.op(this.name, { ...given, commission_rate: scene.random.below(1001) });
  },
};

const unban: Kind = {
  name: 'witness_unbanned',
  weight: 3,
  make(scene) {
    const witness = scene.one([...scene.state.all(witnessObject)].filter((one) => one.is_banned)) ?? scene.witness();
    return scene.op(this.name, { witness: witness.id, witness_account: witness.witness_account });
  },
};

const withdrawPledge: Kind = {
  name: 'trust_node_pledge_withdraw',
  weight: 1,
  make(scene) {
    const pledge = scene.some(trustNodePledgeObject);
    return pledge === undefined ? undefined : scene.op(this.name, { witness_account: pledge.owner_account });
  },
};

const memberCreate: Kind = {
  name: 'committee_member_create',
  weight: 1,
  make(scene) {
    const taken = (id: number): boolean => scene.state.findBy(committeeMemberObject.by.account, id) !== undefined;
    const committee_member_account = newcomer(scene, taken);
    if (committee_member_account === undefined) return undefined;
    return scene.op(this.name, { committee_member_account, url: 'u' });
  },
};

const memberUpdate: Kind = {
  name: 'committee_member_update',
  weight: 1,
  make(scene) {
    const member = scene.some(committeeMemberObject);
    if (member === undefined) return undefined;
    const { id, committee_member_account } = member;
    return scene.op(this.name, { committee_member: id, committee_member_account, new_url: 'v' });
  },
};

const stake: Kind = {
  name: 'staking_create',
  weight: 5,
  make(scene) {
    const program = scene.one(stakingPrograms(scene.state) ?? []);
    if (program === undefined) return undefined;
    const [program_id, { weight, staking_days }] = program;
    const least = Number(voteParameters(scene.state).min_staking_amount % 1_000_000_000n);
    const amount = makeAsset(BigInt(least + scene.random.below(1_000_000_000)), 1);
    return scene.op(this.name, {
      owner: scene.payer(),
      trust_node: scene.witness().id,
      amount,
      program_id,
      weight,
      staking_days,
    });
  },
};

const moveStake: Kind = {
  name: 'staking_update',
  weight: 3,
  make(scene) {
    const found = scene.some(stakingObject);
    if (found === undefined) return undefined;
    return scene.op(this.name, { owner: found.owner, trust_node: scene.witness().id, staking_id: found.id });
  },
};

const claimStake: Kind = {
  name: 'staking_claim',
  weight: 4,
  make(scene) {
    const closed = [...scene.state.all(stakingObject)].filter((one) => !one.is_valid || one.staking_days === 0);
    const found = scene.one(closed) ?? scene.some(stakingObject);
    return found === undefined ? undefined : scene.op(this.name, { owner: found.owner, staking_id: found.id });
  },
};

export const NODE_KINDS: readonly Kind[] = [
  witnessCreate,
  witnessUpdate,
  setCommission,
  unban,
  withdrawPledge,
  memberCreate,
  memberUpdate,
  stake,
  moveStake,
  claimStake,
];
