import { addOptions } from '../../config/command-line.js';
import { GATEWAY_OPTIONS } from '../../services/gateway/options.js';
import type { Command } from '../command.js';
import { readServiceOptions } from '../service/options.js';

export const gatewayCommand: Command = {
  builder: (yargs) =>
    addOptions(yargs, [['Gateway', GATEWAY_OPTIONS]])
      .positional('action', { choices: ['invite'], describe: 'Make invite codes and print them, one a line' })
      .positional('count', { type: 'number', default: 1, describe: 'How many' }),
  handler: async (args, terminal) => {
    const options = readServiceOptions(args, GATEWAY_OPTIONS);
    if (args.action === 'invite') {
      const { printInvites } = await import('./invite.js');
      await printInvites(options, Number(args.count), terminal);
      return;
    }
    const { runGateway } = await import('./run-gateway.js');
    await runGateway(options);
  },
};
