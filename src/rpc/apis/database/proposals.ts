import * as declared from '../../../api/accounts.js';
import type { Instance } from '../../../protocol/ids.js';
import type { SeveralIndex } from '../../../state/define.js';
import { type ProposalObject, proposalObject } from '../../../state/objects/proposal.js';
import { implement } from '../../define.js';
import { groupInPieces } from '../../objects/walk.js';
import { type Pieces, unionInPieces } from '../../pieces/pieces.js';
import type { ChainPort } from '../../ports.js';

type Proposal = Readonly<ProposalObject>;

const { requiredActive, requiredOwner, availableActive } = proposalObject.by;

/** Proposals that have the account in one of these lists, by id. */
function* proposalsWith(
  chain: ChainPort,
  lists: readonly SeveralIndex<ProposalObject, Instance>[],
  account: Instance,
): Pieces<Proposal[]> {
  let found: Proposal[] = [];
  for (const list of lists) {
    const more = yield* groupInPieces(chain, list, account);
    found = found.length === 0 ? more : yield* unionInPieces(found, more, (a, b) => a.id - b.id);
  }
  return found;
}

/** Proposals that need the account’s approval from the start. */
export function proposalsRequiring(chain: ChainPort, account: Instance): Pieces<Proposal[]> {
  return proposalsWith(chain, [requiredActive, requiredOwner], account);
}

export const proposalMethods = implement(declared.proposalMethods, {
  get_proposed_transactions: ({ node }, { id }) =>
    proposalsWith(node.chain, [requiredActive, requiredOwner, availableActive], id),
});
