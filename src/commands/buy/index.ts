import type { Command } from '../command.js';

export const buyCommand: Command = {
  builder: (yargs) =>
    yargs
      .positional('product', { type: 'number', demandOption: true, describe: 'Number of the product' })
      .positional('params', { type: 'string', array: true, describe: 'What is asked: name=value for each' })
      .option('exchange', { type: 'string', default: 'http://127.0.0.1:7001', describe: 'URL of the exchange' })
      .option('node', {
        alias: 's',
        type: 'string',
        default: 'http://127.0.0.1:8090',
        describe: 'URL of a node: the keys of sources are compared with the chain',
      })
      .option('account', { type: 'string', describe: 'Name or id of the account that pays' })
      .option('key-file', {
        type: 'string',
        describe: 'File with its active key as WIF; TRUSTNODE_BUYER_KEY in the environment is the other way',
      })
      .option('max', { type: 'string', describe: 'Smallest units that all sources together may cost' })
      .option('sources', { type: 'number', describe: 'Ask so many sources at most' })
      .option('request', {
        type: 'string',
        describe: 'Id of a request that was made before: shows what has come of it, and buys nothing',
      })
      .option('orders', {
        type: 'string',
        default: 'trustnode-buy',
        describe:
          'Folder in which a request is kept until it is answered: the same command again means the same request',
      })
      .option('wait', { type: 'number', default: 30, describe: 'Seconds to wait for the answers' }),
  handler: async (args, terminal) => {
    const { runBuy } = await import('./run-buy.js');
    await runBuy(args, terminal);
  },
};
