import type { Instance } from '../../../src/protocol/ids.js';
import type { Operation } from '../../../src/protocol/operation-slot.js';
import { accountObject } from '../../../src/state/objects/account.js';
import { type ProposalObject, proposalObject } from '../../../src/state/objects/proposal.js';
import { parameters } from '../../../src/state/rules/parameters.js';
import type { Kind, Scene } from './scene.js';

const DEPTH_MAX = 3;
const COMMITTEE = 0;

/** Makes operations of some kind for a proposal; `next` is the id that the proposal will have. */
type Inner = (scene: Scene) => readonly Operation[];

function expiration(scene: Scene): number {
  const { maximum_proposal_lifetime, block_interval } = parameters(scene.state);
  const usual = block_interval * scene.random.between(1, 30);
  return scene.now + Math.max(1, Math.min(usual, maximum_proposal_lifetime));
}

function proposal(scene: Scene, operations: readonly Operation[]): Operation {
  const { random } = scene;
  const expiration_time = expiration(scene);
  const review = random.chance(0.25) ? Math.floor((expiration_time - scene.now) / 2) : undefined;
  return scene.op('proposal_create', {
    fee_paying_account: scene.user(),
    expiration_time,
    proposed_ops: operations.map((op) => ({ op })),
    review_period_seconds: review,
  });
}

/** Operations on proposals: the one that they will stand in themselves, its neighbours, or any other. */
function onProposal(scene: Scene): Operation {
  const { random, state } = scene;
  const next = state.nextInstance(proposalObject);
  const target = random.chance(0.6) ? next + random.below(2) : (scene.some(proposalObject)?.id ?? next);
  const account = scene.user();
  if (random.chance(0.5)) {
    const using_owner_authority = random.chance(0.3);
    return scene.op('proposal_delete', { fee_paying_account: account, using_owner_authority, proposal: target });
  }
  const list = random.pick(['active_approvals_to_add', 'active_approvals_to_remove', 'owner_approvals_to_add']);
  return scene.op('proposal_update', { fee_paying_account: account, proposal: target, [list]: [account] });
}

/** Whose approvals make an account's authority. */
function approversOf(scene: Scene, account: Instance): Instance[] {
  if (account !== COMMITTEE) return [account];
  return scene.state.get(accountObject, COMMITTEE).active.account_auths.map(([member]) => member);
}

function approvalOf(scene: Scene, instance: Instance, found: Readonly<ProposalObject>): Operation {
  const missing = (wanted: readonly Instance[], there: readonly Instance[]): Instance[] => {
    const all = wanted.flatMap((account) => approversOf(scene, account));
    return [...new Set(all)].filter((account) => !there.includes(account)).sort((a, b) => a - b);
  };
  const active = missing(found.required_active_approvals, found.available_active_approvals);
  const owner = missing(found.required_owner_approvals, found.available_owner_approvals);
  const some = (list: Instance[]): Instance[] => (scene.random.chance(0.85) ? list : scene.few(list, 0.6));
  return scene.op('proposal_update', {
    fee_paying_account: scene.user(),
    proposal: instance,
    active_approvals_to_add: some(active),
    owner_approvals_to_add: some(owner),
  });
}

/** The proposal and the approvals of all who are asked, in one transaction. */
export function proposeAndApprove(
  scene: Scene,
  operations: readonly Operation[],
  required: readonly Instance[],
): Operation[] {
  const create = proposal(scene, operations);
  const approvers = [...new Set(required.flatMap((account) => approversOf(scene, account)))].sort((a, b) => a - b);
  const update = scene.op('proposal_update', {
    fee_paying_account: scene.user(),
    proposal: scene.state.nextInstance(proposalObject),
    active_approvals_to_add: approvers,
  });
  return [create, update];
}

export function proposalKinds(inner: Inner): readonly Kind[] {
  const nested = (scene: Scene, depth: number): readonly Operation[] => {
    const { random } = scene;
    if (random.chance(0.2)) return [onProposal(scene)];
    if (depth < DEPTH_MAX && random.chance(0.25)) return [proposal(scene, nested(scene, depth + 1))];
    return inner(scene);
  };
  const several = (scene: Scene): Operation[] =>
    Array.from({ length: scene.random.between(1, 3) }, () => nested(scene, 1)).flat();
  return [
    {
      name: 'proposal_create',
      weight: 9,
      make(scene) {
        const operations = several(scene);
        return operations.length === 0 ? undefined : proposal(scene, operations);
      },
    },
    {
      name: 'proposal_update',
      weight: 12,
      make(scene) {
        const found = scene.some(proposalObject);
        if (found === undefined) return undefined;
        if (scene.random.chance(0.85)) return approvalOf(scene, found.id, found);
        const there = found.available_active_approvals;
        if (there.length === 0) return undefined;
        return scene.op(this.name, {
          fee_paying_account: scene.user(),
          proposal: found.id,
          active_approvals_to_remove: scene.few(there, 0.7),
        });
      },
    },
    {
      name: 'proposal_delete',
      weight: 1.5,
      make(scene) {
        const found = scene.some(proposalObject);
        if (found === undefined) return undefined;
        const using_owner_authority = found.required_active_approvals.length === 0;
        const list = using_owner_authority ? found.required_owner_approvals : found.required_active_approvals;
        const fee_paying_account = scene.one(list) ?? scene.user();
        return scene.op(this.name, { fee_paying_account, using_owner_authority, proposal: found.id });
      },
    },
    { name: 'proposal_update', weight: 2, make: onProposal },
  ];
}
