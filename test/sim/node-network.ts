import { concatBytes, fromHex, toHex } from '../../src/base/bytes.js';
import type { Clock, Logger } from '../../src/base/world.js';
import type { Chain } from '../../src/chain/chain.js';
import type { BlockFacts } from '../../src/chain/facts.js';
import { encode } from '../../src/codec/binary.js';
import type { BlockImporter } from '../../src/importer/importer.js';
import { networkView } from '../../src/node/chain/network-view.js';
import { ChainFeed } from '../../src/node/network/chain-feed.js';
import { NetworkFolder } from '../../src/node/network/node-config.js';
import { type Link, type LinkEvents, NetworkDriver } from '../../src/p2p/driver.js';
import { P2P_LIMITS } from '../../src/p2p/limits.js';
import { Machine } from '../../src/p2p/machine.js';
import type { Connected } from '../../src/p2p/ports.js';
import type { EndpointText } from '../../src/p2p/wire/endpoint.js';
import { messageId } from '../../src/p2p/wire/messages.js';
import { signedBlock } from '../../src/protocol/block.js';
import type { Files } from '../../src/storage/files.js';
import { packTransaction, verifyPacked } from '../../src/verify/signed.js';
import type { SignatureVerifier } from '../../src/verify/verify.js';
import type { Lie } from './liars.js';
import type { SimulatedLinks } from './links.js';
import type { SeededRandom } from './random.js';
import type { Sabotage } from './sabotage.js';

export interface NodeNetworkParts {
  readonly index: number;
  readonly files: Files;
  readonly dataDir: string;
  readonly chain: Chain;
  readonly importer: BlockImporter;
  readonly verifier: SignatureVerifier;
  readonly links: SimulatedLinks;
  readonly clock: Clock;
  readonly random: SeededRandom;
  readonly genesisTime: number;
  readonly seeds: readonly number[];
  readonly kept: readonly number[];
  readonly lie: Lie | undefined;
  readonly sabotage: Sabotage | undefined;
  readonly skip: number;
  readonly log: Logger;
  readonly isAlive: () => boolean;
  readonly fail: (error: unknown) => void;
}

const PORT = 6789;
const MISCHIEF_MS = 1000;

/** Public addresses, each in a neighbourhood of its own: they count like those of strangers. */
export const addressOf = (index: number): string => `${60 + index}.10.0.1`;
export const endpointOfNode = (index: number): EndpointText => `${addressOf(index)}:${PORT}`;

/** The network part of a node, as node/parts/network.ts puts it together, over links that are made up. */
export class NodeNetwork {
  readonly machine: Machine;
  readonly driver: NetworkDriver;
  readonly #p: NodeNetworkParts;
  readonly #unsubscribe: () => void;

  constructor(parts: NodeNetworkParts) {
    this.#p = parts;
    const { index, files, dataDir, chain, clock, random, lie, sabotage, log, skip } = parts;
    const bytes = (count: number): Uint8Array => Uint8Array.from({ length: count }, () => random.below(256));
    const folder = new NetworkFolder(files, dataDir);
    const truth = networkView({ queries: chain.queries, pending: chain.pending, genesisTime: parts.genesisTime });
    this.machine = new Machine(
      {
        nodeKey: folder.nodeKey({ bytes }, endpointOfNode(index), true),
        nodeId: toHex(bytes(33)),
        userAgent: 'trustnode/simulated',
        platform: 'linux',
        listenPort: PORT,
        acceptIncoming: true,
        advertisePeers: true,
        allowPrivate: false,
        connectionsWanted: P2P_LIMITS.connections_wanted,
        connectionsMax: P2P_LIMITS.connections_max,
        seeds: parts.seeds.map(endpointOfNode),
        kept: parts.kept.map(endpointOfNode),
        allowedPeers: [],
        itemsPerRequest: P2P_LIMITS.items_per_request,
        random: bytes,
      },
      lie?.view?.(truth) ?? truth,
      { wallMs: clock.nowMs(), monotonicMs: clock.monotonicMs() },
    );
    const stored = folder.peers((file) => parts.fail(new Error(`node ${index}: ${file} cannot be read`)));
    if (stored !== undefined) this.machine.addresses.load(stored);
    if (sabotage === 'blames_everybody') this.#blameEverybody();
    const feed: ChainFeed = new ChainFeed({
      importer: parts.importer,
      pushTransaction: async (transaction) => {
        const packed = packTransaction(chain.queries.chainId, transaction);
        const [verified] = await verifyPacked(parts.verifier, [packed]);
        chain.pending.push(verified ?? { transaction }, skip);
        return { id: packed.id };
      },
      publishBlock: (id, packed) => this.#alive(() => this.driver.publishBlock(id, packed)),
      publishTransaction: (id, transaction) => this.#alive(() => this.driver.publishTransaction(id, transaction)),
    });
    this.driver = new NetworkDriver({
      machine: this.machine,
      clock,
      log,
      dial: (endpoint, events) => this.#linkOf(parts.links.dial(index, endpoint, events)),
      pushBlock: async (block) =>
        sabotage === 'swallows_blocks' && block.number % 5 === 0 ? { kind: 'accepted' } : feed.pushBlock(block),
      pushTransactions: (list) => feed.pushTransactions(list),
      storePeers: (peers) => folder.storePeers(peers, (_, error) => parts.fail(error)),
      fail: parts.fail,
    });
    this.#unsubscribe = chain.blocks.subscribe((event) => this.#alive(() => feed.listen(event)));
  }

  #alive(work: () => void): void {
    if (this.#p.isAlive()) work();
  }

  /** What a dead process still wants to send goes nowhere. */
  #linkOf(link: Link): Link {
    return {
      write: (bytes, taken) => this.#alive(() => link.write(bytes, taken)),
      end: () => this.#alive(() => link.end()),
      destroy: () => this.#alive(() => link.destroy()),
    };
  }

  start(): void {
    const { links, index, lie } = this.#p;
    this.driver.start();
    links.listen(endpointOfNode(index), index, (link, ends) => this.#accept(link, ends));
    if (lie?.mischief !== undefined) this.#mischief(lie.mischief);
  }

  #accept(link: Link, ends: Connected): LinkEvents | undefined {
    return this.driver.accept(this.#linkOf(link), ends);
  }

  #mischief(work: NonNullable<Lie['mischief']>): void {
    const { clock, random } = this.#p;
    clock.after(MISCHIEF_MS, () => {
      this.#mischief(work);
      work(this.machine, random);
      // Whatever was wished for goes out with the next thing that happens.
      this.driver.addPeer(endpointOfNode(random.below(4)));
    });
  }

  /** A rule that is broken on purpose: whoever leaves is to blame. */
  #blameEverybody(): void {
    const { reputation } = this.machine;
    const blame = reputation.blame.bind(reputation);
    reputation.blame = (ip, _penalty, reason, nowMs) => blame(ip, 40, reason, nowMs);
  }

  /** Each half of the peers hears of one of two blocks: as if it knew the other one already. */
  tellEachHalf(first: BlockFacts, second: BlockFacts): void {
    const [one, two] = [first, second].map(({ block, id }) =>
      messageId(concatBytes(encode(signedBlock, block), fromHex(id))),
    ) as [string, string];
    const { monotonicMs } = this.machine.now;
    for (const [i, { gossip }] of [...this.machine.activePeers()].entries()) {
      gossip.offered.add(i % 2 === 0 ? two : one, monotonicMs);
    }
  }

  async close(graceMs: number): Promise<void> {
    this.#unsubscribe();
    this.#p.links.refuse(this.#p.index);
    await this.driver.close(graceMs);
  }
}
