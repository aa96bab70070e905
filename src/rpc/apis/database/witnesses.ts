import * as declared from '../../../api/accounts.js';
import { check, defineErrors } from '../../../base/errors.js';
import type { Instance } from '../../../protocol/ids.js';
import type { ObjectDef, StateObject } from '../../../state/define.js';
import { accountObject } from '../../../state/objects/account.js';
import { committeeMemberObject } from '../../../state/objects/committee-member.js';
import { stakingObject } from '../../../state/objects/staking.js';
import { witnessObject } from '../../../state/objects/witness.js';
import { workerObject } from '../../../state/objects/worker.js';
import { implement } from '../../define.js';
import { ASSETS_MAX, LIST_ERRORS, NAMES_MAX } from '../../limits.js';
import { eachObject } from '../../objects/walk.js';
import { eachInPieces, type Pieces, sortInPieces } from '../../pieces/pieces.js';
import type { ChainPort } from '../../ports.js';
import { voteObjects } from './votes.js';

export const WITNESS_API_ERRORS = defineErrors({
  votes_too_many: { text: 'votes.size() < 1000: Only 1000 votes can be queried at a time' },
});

const VOTES_MAX = 999;

/** `[account name, id]` of all such objects from a name on, ascending. */
function* namedFrom<T extends StateObject>(
  chain: ChainPort,
  definition: ObjectDef<T>,
  accountOf: (object: Readonly<T>) => Instance,
  from: { readonly lower_bound_name: string; readonly limit: number },
): Pieces<[string, Instance][]> {
  check(from.limit <= NAMES_MAX, LIST_ERRORS.limit_1000);
  const found: [string, Instance][] = [];
  yield* eachObject(chain, definition, (object) => {
    const name = chain.state.find(accountObject, accountOf(object))?.name ?? '';
    if (name >= from.lower_bound_name) found.push([name, object.id]);
  });
  const sorted = yield* sortInPieces(found, (a, b) => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : a[1] - b[1]));
  return sorted.slice(0, from.limit);
}

export const witnessMethods = implement(declared.witnessMethods, {
  get_witnesses: ({ node }, { ids }) => {
    return eachInPieces(ids, (id) => node.chain.state.find(witnessObject, id));
  },
  get_witness_by_account: ({ node }, { account }) => node.chain.state.findBy(witnessObject.by.account, account),
  lookup_witness_accounts: ({ node }, from) =>
    namedFrom(node.chain, witnessObject, ({ witness_account }) => witness_account, from),
  get_witness_count: ({ node }) => node.chain.state.count(witnessObject),
  *get_trust_nodes({ node }) {
    const out: Instance[] = [];
    yield* eachObject(node.chain, witnessObject, ({ witness_account }) => {
      const member = node.chain.state.findBy(committeeMemberObject.by.account, witness_account);
      if (member !== undefined) out.push(witness_account);
    });
    return out;
  },
  get_staking_objects_by_witness: ({ node }, { wit, start, limit }) => {
    check(limit <= ASSETS_MAX, LIST_ERRORS.limit_100);
    const found = node.chain.state.groupPage(stakingObject.by.witness, wit, start, limit + 1);
    const next = found[limit];
    return { records: found.slice(0, limit), more: next !== undefined, next_id: next?.id ?? 0 };
  },
  get_committee_members: ({ node }, { ids }) => {
    return eachInPieces(ids, (id) => node.chain.state.find(committeeMemberObject, id));
  },
  get_committee_member_by_account: ({ node }, { account }) =>
    node.chain.state.findBy(committeeMemberObject.by.account, account),
  lookup_committee_member_accounts: ({ node }, from) =>
    namedFrom(node.chain, committeeMemberObject, ({ committee_member_account }) => committee_member_account, from),
  get_committee_member_count: ({ node }) => node.chain.state.count(committeeMemberObject),
  get_workers_by_account: ({ node }, { account }) => [
    ...node.chain.state.groupPage(workerObject.by.account, account, 0, 1),
  ],
  lookup_vote_ids: ({ node }, { votes }) => {
    check(votes.length <= VOTES_MAX, WITNESS_API_ERRORS.votes_too_many);
    return voteObjects(node.chain.state, votes);
  },
});
