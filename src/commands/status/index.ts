import { DEFAULT_DATA_DIR } from '../../node/settings/options.js';
import type { Command } from '../command.js';
import { openDoor } from '../node-door.js';
import { EXIT } from '../terminal.js';
import { statusOf, statusText } from './report.js';

export const statusCommand: Command = {
  builder: (yargs) =>
    yargs
      .option('data-dir', {
        type: 'string',
        alias: 'd',
        default: DEFAULT_DATA_DIR,
        describe: 'Data directory of the node: its operator.sock is asked, or an endpoint of its config.ini',
      })
      .option('url', {
        type: 'string',
        describe: 'Ask the node there instead: an rpc-endpoint tells of the chain, a monitor-endpoint of the rest',
      })
      .option('json', { type: 'boolean', default: false, describe: 'Print JSON for scripts' })
      .epilogue('Exit code: 0 when the node is ready for clients, 1 when it is not or does not answer.'),
  handler: async (args, terminal) => {
    const url = args.url as string | undefined;
    const door = await openDoor({ dataDir: String(args.dataDir), ...(url === undefined ? {} : { url }) });
    const report = await statusOf(door, Date.now());
    terminal.out(args.json === true ? `${JSON.stringify(report)}\n` : statusText(report));
    if (report.ready === false || (report.ready === null && report.chain === null)) terminal.exitCode = EXIT.refused;
  },
};
