import { defineErrors, FAMILY } from '../../src/base/errors.js';

export const DELAYED_START_ERRORS = defineErrors({
  delayed_without_node: { ...FAMILY.invalidArgument, text: 'plugin delayed_node needs option trusted-node' },
});

/** Why nothing comes from the trusted node. It is tried again. */
export const DELAYED_ERRORS = defineErrors(
  {
    delayed_other_chain: { text: 'the trusted node ${url} is of chain ${found}, and this is chain ${wanted}' },
    delayed_block_missing: { text: 'the trusted node ${url} does not have block ${number}' },
    delayed_other_branch: {
      text: 'the trusted node ${url} has another block ${number} than ${id}, which is irreversible here',
    },
  },
  'environment',
);
