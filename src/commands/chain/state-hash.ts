import { stateHash, typeDigests } from '../../state/state-hash.js';
import type { Command } from '../command.js';
import { chainOptions } from './open.js';
import { withState } from './with-state.js';

export const stateHashCommand: Command = {
  builder: (yargs) =>
    chainOptions(yargs)
      .option('at-block', { type: 'number', describe: 'State after this block instead of the last one' })
      .option('by-type', { type: 'boolean', default: false, describe: 'Also print a digest of each type of objects' })
      .option('json', { type: 'boolean', default: false, describe: 'Print JSON for scripts' }),
  handler: async (args, terminal) => {
    await withState(terminal, args, ({ state, number, id, genesis }) => {
      const hash = stateHash(state);
      const types = args.byType === true ? typeDigests(state) : [];
      const rows = types.map(({ definition, count, digest }) => ({
        type: `${definition.space}.${definition.type}`,
        name: definition.name,
        count,
        digest,
      }));
      if (args.json === true) {
        const block = { block: number, block_id: id, chain_id: genesis.chainId, state_hash: hash };
        terminal.out(`${JSON.stringify(rows.length === 0 ? block : { ...block, types: rows })}\n`);
      } else {
        terminal.out(`${hash} block ${number} ${id}\n`);
        for (const { type, name, count, digest } of rows) {
          terminal.out(`${digest} ${type} ${name} (${count})\n`);
        }
      }
    });
  },
};
