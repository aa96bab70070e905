import { defineErrors, FAMILY } from '../base/errors.js';

/** Why a follower stands still. None of these reaches a block. */
export const FOLLOWER_ERRORS = defineErrors(
  {
    follower_needs_earlier: {
      text: 'follower ${name} needs block ${needed}, and this node has ${part} from block ${first} on. Start with --replay-blockchain where the block log begins with block 1, or let the follower begin anew behind a snapshot of its own',
    },
    follower_other_chain: {
      text: 'follower ${name} stands on block ${number} ${id}, which is not in this chain, and does not take it back',
    },
    follower_did_not_move: {
      text: 'follower ${name} was given block ${number} ${id} and says that it stands on ${found}',
    },
    follower_block_missing: { text: 'follower ${name} needs block ${number}, which cannot be read' },
    follower_behind: {
      kind: 'limit',
      text: '${name} is being built: it holds blocks up to ${number} of ${head}. Ask again later',
    },
    follower_over: {
      text: '${name} has stopped at block ${number} of ${head}: ${reason}. Start the node again',
    },
    follower_needs_journal: {
      ...FAMILY.invalidArgument,
      text: '${name} reads the operation journal, which operation-journal = false leaves out',
    },
    follower_twice: { text: 'there are two followers with the name ${name}' },
  },
  'environment',
);
