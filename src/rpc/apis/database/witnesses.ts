import { check, defineErrors } from '../../../base/errors.js';
import { array, pair } from '../../../codec/containers.js';
import { bool, text, u32 } from '../../../codec/scalars.js';
import { struct } from '../../../codec/struct.js';
import { accountId, committeeMemberId, type Instance, stakingId, witnessId } from '../../../protocol/ids.js';
import { objectOf } from '../../../protocol/objects/declare.js';
import { voteId } from '../../../protocol/vote.js';
import type { ObjectDef, StateObject } from '../../../state/define.js';
import { accountObject } from '../../../state/objects/account.js';
import { committeeMemberObject } from '../../../state/objects/committee-member.js';
import { stakingObject } from '../../../state/objects/staking.js';
import { witnessObject } from '../../../state/objects/witness.js';
import { workerObject } from '../../../state/objects/worker.js';
import { method } from '../../define.js';
import { ASSETS_MAX, LIST_ERRORS, NAMES_MAX } from '../../limits.js';
import { foundObject } from '../../objects/found-object.js';
import { eachObject } from '../../objects/walk.js';
import { eachInPieces, type Pieces, sortInPieces } from '../../pieces/pieces.js';
import type { ChainPort } from '../../ports.js';
import { nullable } from '../../types.js';
import { voteObjects } from './votes.js';

export const WITNESS_API_ERRORS = defineErrors({
  votes_too_many: { text: 'votes.size() < 1000: Only 1000 votes can be queried at a time' },
});

const VOTES_MAX = 999;

const stakingPage = struct('staking_page', { records: array(objectOf(stakingObject)), more: bool, next_id: stakingId });

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

export const witnessMethods = {
  get_witnesses: method({
    about: 'Witnesses by id, in the order asked; null where there is none.',
    params: { ids: array(witnessId) },
    result: array(nullable(objectOf(witnessObject))),
    run: ({ node }, { ids }) => {
      return eachInPieces(ids, (id) => node.chain.state.find(witnessObject, id));
    },
  }),
  get_witness_by_account: method({
    about: 'The witness of an account, or null.',
    params: { account: accountId },
    result: nullable(objectOf(witnessObject)),
    run: ({ node }, { account }) => node.chain.state.findBy(witnessObject.by.account, account),
  }),
  lookup_witness_accounts: method({
    about: 'Account names and ids of witnesses from a name on, ascending; at most 1000.',
    params: { lower_bound_name: text, limit: u32 },
    result: array(pair(text, witnessId)),
    run: ({ node }, from) => namedFrom(node.chain, witnessObject, ({ witness_account }) => witness_account, from),
  }),
  get_witness_count: method({
    about: 'Number of witnesses.',
    params: {},
    result: u32,
    run: ({ node }) => node.chain.state.count(witnessObject),
  }),
  get_trust_nodes: method({
    about: 'Accounts that are witness and committee member.',
    params: {},
    result: array(accountId),
    *run({ node }) {
      const out: Instance[] = [];
      yield* eachObject(node.chain, witnessObject, ({ witness_account }) => {
        const member = node.chain.state.findBy(committeeMemberObject.by.account, witness_account);
        if (member !== undefined) out.push(witness_account);
      });
      return out;
    },
  }),
  get_staking_objects_by_witness: method({
    about: 'Stakings for a witness from an id on; at most 100 and the id of the next.',
    params: { wit: witnessId, start: stakingId, limit: u32 },
    result: stakingPage,
    run: ({ node }, { wit, start, limit }) => {
      check(limit <= ASSETS_MAX, LIST_ERRORS.limit_100);
      const found = node.chain.state.groupPage(stakingObject.by.witness, wit, start, limit + 1);
      const next = found[limit];
      return { records: found.slice(0, limit), more: next !== undefined, next_id: next?.id ?? 0 };
    },
  }),
  get_committee_members: method({
    about: 'Committee members by id, in the order asked; null where there is none.',
    params: { ids: array(committeeMemberId) },
    result: array(nullable(objectOf(committeeMemberObject))),
    run: ({ node }, { ids }) => {
      return eachInPieces(ids, (id) => node.chain.state.find(committeeMemberObject, id));
    },
  }),
  get_committee_member_by_account: method({
    about: 'The committee member of an account, or null.',
    params: { account: accountId },
    result: nullable(objectOf(committeeMemberObject)),
    run: ({ node }, { account }) => node.chain.state.findBy(committeeMemberObject.by.account, account),
  }),
  lookup_committee_member_accounts: method({
    about: 'Account names and ids of committee members from a name on, ascending; at most 1000.',
    params: { lower_bound_name: text, limit: u32 },
    result: array(pair(text, committeeMemberId)),
    run: ({ node }, from) =>
      namedFrom(node.chain, committeeMemberObject, ({ committee_member_account }) => committee_member_account, from),
  }),
  get_committee_member_count: method({
    about: 'Number of committee members.',
    params: {},
    result: u32,
    run: ({ node }) => node.chain.state.count(committeeMemberObject),
  }),
  get_workers_by_account: method({
    about: 'The worker of an account, as a list of at most one.',
    params: { account: accountId },
    result: array(objectOf(workerObject)),
    run: ({ node }, { account }) => [...node.chain.state.groupPage(workerObject.by.account, account, 0, 1)],
  }),
  lookup_vote_ids: method({
    about:
      'The witness or committee member of every vote id, null where there is none; votes for workers are left out.',
    params: { votes: array(voteId) },
    result: array(foundObject),
    run: ({ node }, { votes }) => {
      check(votes.length <= VOTES_MAX, WITNESS_API_ERRORS.votes_too_many);
      return voteObjects(node.chain.state, votes);
    },
  }),
};
