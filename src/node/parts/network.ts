import { toHex } from '../../base/bytes.js';
import { ChainError } from '../../base/errors.js';
import type { Logger, LogValues, Random } from '../../base/world.js';
import { endpoint, type OptionValues } from '../../config/define.js';
import type { PrivateKey } from '../../crypto/private-key.js';
import { NetworkDriver } from '../../p2p/driver.js';
import { P2P_LIMITS } from '../../p2p/limits.js';
import { Machine } from '../../p2p/machine.js';
import { p2pOptions, publicSeeds } from '../../p2p/options.js';
import { PacedTraffic } from '../../p2p/paced-traffic.js';
import type { MachineOptions } from '../../p2p/ports.js';
import { dialTcp, type Listener, listenTcp } from '../../p2p/tcp.js';
import { NO_ENDPOINT } from '../../p2p/wire/endpoint.js';
import { definePart } from '../../plugin/part.js';
import type { NetworkPort } from '../../rpc/ports.js';
import { nodeFiles } from '../../storage/files.js';
import { networkView } from '../chain/network-view.js';
import { ChainFeed } from '../network/chain-feed.js';
import { ClockWatch } from '../network/clock-watch.js';
import { NamedPeers } from '../network/named-peers.js';
import { networkMetrics } from '../network/network-metrics.js';
import { networkPort } from '../network/network-port.js';
import { NetworkFolder } from '../network/node-config.js';
import { resolveEndpoint } from '../network/resolve.js';
import { SyncProgress } from '../network/sync-progress.js';
import { connectionRoom } from '../runtime/open-files.js';
import { chainPart } from './chain.js';
import { chainPortPart } from './chain-port.js';
import { genesisPart } from './genesis.js';
import { importerPart } from './importer.js';
import { PEERS_TITLE } from './titles.js';

const NODE_ID_BYTES = 33;
const GOODBYE_MS = 1000;
/** A node further behind is not what clients want to read from. */
const BEHIND_BLOCKS_MAX = 40;

/** Other nodes. Without an address to listen on, seeds or peers there is no network, and the part gives nothing. */
export const networkPart = definePart({
  name: 'p2p',
  title: PEERS_TITLE,
  needs: {
    chain: chainPart,
    genesis: genesisPart,
    importer: importerPart,
    port: chainPortPart,
  },
  options: { title: 'Network', table: p2pOptions },
  async open({ needs, options, dataDir, clock, random, log, fail }) {
    const { chain } = needs.chain;
    const { source } = needs.genesis;
    const seeds = [...(options['seed-nodes'] ?? publicSeeds(source.chainId)), ...options['seed-node']];
    const kept = options['p2p-peer'];
    const listens = options['p2p-endpoint'];
    const none: { readonly value: NetworkPort | undefined } = { value: undefined };
    if (listens === undefined && seeds.length === 0 && kept.length === 0) return none;

    // What may be wrong with the folder is said before anything is open.
    const folder = new NetworkFolder(nodeFiles, dataDir);
    const nodeKey = folder.nodeKey(
      random,
      listens === undefined ? NO_ENDPOINT : endpoint.format(listens),
      listens !== undefined,
    );
    const traffic = new PacedTraffic(() => clock.monotonicMs(), setImmediate);
    const listener = await openListener(options, traffic);
    const view = networkView({
      queries: chain.queries,
      pending: chain.pending,
      genesisTime: source.file.initial_timestamp,
    });
    const machine = new Machine(machineOptions(options, { nodeKey, listener, random }), view, {
      wallMs: clock.nowMs(),
      monotonicMs: clock.monotonicMs(),
    });
    loadPeers(machine, folder, log);

    const feed: ChainFeed = new ChainFeed({
      importer: needs.importer,
      pushTransaction: (transaction) => needs.port.push(transaction),
      publishBlock: (id, bytes) => driver.publishBlock(id, bytes),
      publishTransaction: (id, transaction) => driver.publishTransaction(id, transaction),
    });
    const driver: NetworkDriver = new NetworkDriver({
      machine,
      clock,
      log,
      dial: (endpoint, events) => dialTcp(endpoint, events, traffic),
      pushBlock: (block) => feed.pushBlock(block),
      pushTransactions: (list) => feed.pushTransactions(list),
      storePeers: (peers) =>
        folder.storePeers(peers, (file, error) =>
          log.warn('known peers cannot be kept', { file, error: error.message }),
        ),
      fail,
    });
    const progress = new SyncProgress({
      clock,
      log,
      behind: () => machine.blocksBehind,
      head: () => chain.queries.head.number,
    });
    const unsubscribe = chain.blocks.subscribe((event) => {
      feed.listen(event);
      progress.listen(event);
    });
    progress.start();
    driver.start();
    listener?.serve(driver);
    const named = new NamedPeers({
      clock,
      log,
      resolve: resolveEndpoint,
      // Seeds are for who has nobody.
      isMissing: (known, use) => (use === 'kept' ? !machine.isConnectedTo(known) : machine.activeCount === 0),
      found: (found, use, before) => (use === 'kept' ? driver.keepPeer(found, before) : driver.addPeer(found)),
      fail,
    });
    for (const one of kept) named.add(endpoint.format(one), 'kept');
    for (const one of seeds) named.add(endpoint.format(one), 'seed');
    const clocks = new ClockWatch({ clock, log, offsetMs: () => machine.clockOffsetMs });
    clocks.start();
    log.info('the network is open', {
      listening: listener === undefined ? 'no' : listener.endpoint,
      seeds: seeds.length,
      key: machine.options.nodeKey.publicKey,
    });
    const value: NetworkPort | undefined = networkPort({
      machine,
      driver,
      listeningOn: listener?.endpoint ?? NO_ENDPOINT,
      wallMs: () => clock.nowMs(),
      rates: () => progress.rates,
      timeOf: (id) => chain.queries.blockById(id)?.timestamp,
      nameGiven: (name) => named.add(name, 'seed'),
    });
    const isPeerExpected = seeds.length > 0 || kept.length > 0;
    return {
      value,
      health() {
        const behind = machine.blocksBehind;
        if (behind > BEHIND_BLOCKS_MAX) return `${behind} blocks are still to be fetched from peers`;
        return isPeerExpected && machine.activeCount === 0 ? 'no peer is connected' : undefined;
      },
      warning: () => clocks.warning,
      metrics: networkMetrics(machine, progress),
      async close() {
        named.stop();
        clocks.stop();
        progress.stop();
        unsubscribe();
        const closed = listener?.close();
        await driver.close(GOODBYE_MS);
        await closed;
      },
    };
  },
});

type NetworkOptions = OptionValues<typeof p2pOptions>;

async function openListener(options: NetworkOptions, traffic: PacedTraffic): Promise<Listener | undefined> {
  const wanted = options['p2p-endpoint'];
  if (wanted === undefined || !options['p2p-accept-incoming']) return undefined;
  return listenTcp(endpoint.format(wanted), traffic);
}

interface Self {
  readonly nodeKey: PrivateKey;
  readonly listener: Listener | undefined;
  readonly random: Random;
}

function machineOptions(options: NetworkOptions, { nodeKey, listener, random }: Self): MachineOptions {
  const advertised = options['p2p-advertise'];
  const wanted = options['p2p-max-connections'];
  const connectionsMax = Math.min(wanted, connectionRoom()?.peers ?? wanted);
  return {
    nodeKey,
    nodeId: toHex(random.bytes(NODE_ID_BYTES)),
    userAgent: 'trustnode',
    platform: platformName(),
    listenPort: listener?.port ?? 0,
    acceptIncoming: listener !== undefined,
    ...(advertised === undefined ? {} : { advertised }),
    advertisePeers: true,
    allowPrivate: options['p2p-private-addresses'],
    connectionsWanted: Math.min(P2P_LIMITS.connections_wanted, connectionsMax),
    connectionsMax,
    // Seeds and peers to be kept are named, and come once their names have addresses: see NamedPeers.
    seeds: [],
    kept: [],
    allowedPeers: [],
    itemsPerRequest: P2P_LIMITS.items_per_request,
    random: (count) => random.bytes(count),
  };
}

/** The peers that earlier runs knew. A node without them finds others, so that a damaged file ends no start. */
function loadPeers(machine: Machine, folder: NetworkFolder, log: Logger): void {
  const warn = (about: LogValues): void => log.warn('known peers cannot be read', about);
  const stored = folder.peers((file, error) => warn({ file, error: error.message }));
  if (stored === undefined) return;
  try {
    machine.addresses.load(stored);
  } catch (error) {
    if (!(error instanceof ChainError)) throw error;
    warn({ error: error.message });
  }
}

/** As other nodes name it. */
function platformName(): string {
  const { platform } = process;
  return platform === 'darwin' ? 'osx' : platform === 'linux' || platform === 'win32' ? platform : 'other';
}
