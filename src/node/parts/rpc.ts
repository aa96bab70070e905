import { join } from 'node:path';
import { definePart, optional } from '../../plugin/part.js';
import { rpcOptions } from '../../rpc/serving/options.js';
import { serveRpc } from '../../rpc/serving/serve.js';
import { PUBLIC_TEST_KEY } from '../../witness/options.js';
import { DevGateway } from '../dev/dev-gateway.js';
import { connectionRoom } from '../runtime/open-files.js';
import { chainPart } from './chain.js';
import { chainPortPart } from './chain-port.js';
import { debugPart } from './debug.js';
import { devChainPart } from './dev-chain.js';
import { devControlPart } from './dev-control.js';
import { NODE_VIEW, SETTINGS } from './given.js';
import { networkPart } from './network.js';
import { snapshotsPart } from './snapshots.js';
import { startingPart } from './starting.js';
import { CLIENTS_TITLE } from './titles.js';
import { transactionIndexPart } from './transaction-index.js';

/** In the data directory, for the node's own user. */
const OPERATOR_SOCKET = 'operator.sock';

/** Where this machine finds what listens there. */
const ownUrl = (listensOn: string | undefined): string | undefined =>
  listensOn === undefined ? undefined : `http://${listensOn.replace(/^(?:0\.0\.0\.0|\[::\])/, '127.0.0.1')}`;

/** Every endpoint that the options name, on the real ports. */
export const rpcPart = definePart({
  name: 'rpc',
  title: CLIENTS_TITLE,
  needs: {
    settings: SETTINGS,
    view: NODE_VIEW,
    chain: chainPart,
    port: chainPortPart,
    transactions: transactionIndexPart,
    snapshots: snapshotsPart,
    debug: optional(debugPart),
    dev: devControlPart,
    devChain: devChainPart,
    network: networkPart,
    starting: startingPart,
  },
  options: { title: 'RPC', table: rpcOptions },
  async open({ needs, options, clock, random, log, dataDir, fail }) {
    const { settings, view, debug, dev, devChain, network } = needs;
    const { pending } = needs.chain.chain;
    await needs.starting.close();
    let plain: string | undefined;
    const gateway =
      devChain === undefined
        ? undefined
        : new DevGateway({ url: () => ownUrl(plain), faucet: devChain.faucet, clock, random, log });
    const room = connectionRoom();
    if (room !== undefined && room.clients < options['rpc-connections-max']) {
      log.info('fewer connections are taken than options say: this process may open few files', { ...room });
    }
    const value = await serveRpc(options, {
      socketsMax: room?.clients,
      node: {
        chain: needs.port,
        clock,
        log,
        transactions: needs.transactions,
        snapshots: needs.snapshots,
        ...(debug === undefined ? {} : { debug }),
        ...(dev === undefined ? {} : { dev }),
        ...(network === undefined ? {} : { network }),
        ...(view.history === undefined ? {} : { history: view.history }),
        mockContractFee: options['rpc-mock-calc-fee'],
        pendingCount: () => pending.count,
        // The node must not go on with a state that it cannot trust.
        onStateLost: fail,
      },
      apis: view.apis,
      operatorSocket: process.platform === 'win32' ? undefined : join(dataDir, OPERATOR_SOCKET),
      holdsKeys: settings.options['private-key'].some(({ publicKey }) => publicKey !== PUBLIC_TEST_KEY.publicKey),
      openApis: [
        // Where there is nothing behind it, it says why.
        'dev_api',
        // One person's chain: nobody can be slowed down by long walks through it.
        ...(settings.isDev ? ['asset_api', 'block_api'] : []),
        ...view.apis.filter((one) => one.isClosedToPages !== true).map(({ name }) => `${name}_api`),
      ],
      addMetrics: (registry) => view.onMetric((metric) => registry.registerMetric(metric)),
      notReady: () => view.notReady(),
      warning: () => view.warning(),
      ...(gateway === undefined ? {} : { beside: gateway }),
    });
    plain = value.plain;
    const close = async (): Promise<void> => {
      await gateway?.close();
      await value.close();
    };
    return { value, close };
  },
});
