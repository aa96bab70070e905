import { addOptions } from '../../config/command-line.js';
import { GATEWAY_OPTIONS } from '../../services/gateway/options.js';
import type { Command } from '../command.js';
import { readServiceOptions } from '../service/options.js';

export const gatewayCommand: Command = {
  builder: (yargs) =>
    addOptions(yargs, [['Gateway', GATEWAY_OPTIONS]])
      .positional('action', {
        choices: ['invite', 'move'],
        describe:
          'Make invite codes and print them, one a line; or move what a file has into the empty PostgreSQL of option database',
      })
      .positional('what', { type: 'string', default: '1', describe: 'How many codes, or the file to move from' }),
  handler: async (args, terminal) => {
    const options = readServiceOptions(args, GATEWAY_OPTIONS);
    if (args.action === 'invite') {
      const { printInvites } = await import('./invite.js');
      await printInvites(options, Number(args.what), terminal);
      return;
    }
    if (args.action === 'move') {
      const { moveGateway } = await import('./move-gateway.js');
      await moveGateway(options, String(args.what), terminal);
      return;
    }
    const { runGateway } = await import('./run-gateway.js');
    await runGateway(options);
  },
};
