import { timeToText } from '../../codec/time.js';
import { type BlockId, blockNumFromId, NULL_BLOCK_ID } from '../../crypto/digests.js';
import type { NetworkDriver } from '../../p2p/driver.js';
import type { Machine } from '../../p2p/machine.js';
import type { Peer } from '../../p2p/peer.js';
import { parseEndpoint } from '../../p2p/wire/endpoint.js';
import { FIREWALLED } from '../../p2p/wire/messages.js';
import type { NetworkPeer, NetworkPort } from '../../rpc/ports.js';
import type { SyncRates } from './sync-progress.js';

const FIREWALL_TEXTS = ['unknown', 'firewalled', 'not_firewalled'] as const;

const secondsText = (wallMs: number): string => timeToText(Math.floor(wallMs / 1000));

export interface NetworkPortParts {
  readonly machine: Machine;
  readonly driver: NetworkDriver;
  readonly listeningOn: string;
  rates(): SyncRates;
  timeOf(id: BlockId): number | undefined;
  wallMs(): number;
  /** The operator has named a node whose address is not known yet. */
  nameGiven(name: string): void;
}

/** The network as the operator's methods show it. */
export function networkPort(parts: NetworkPortParts): NetworkPort {
  const { machine, driver, listeningOn, timeOf, nameGiven, wallMs, rates } = parts;
  const { nodeKey, nodeId } = machine.options;
  return {
    listeningOn: () => listeningOn,
    nodePublicKey: () => nodeKey.publicKey,
    nodeId: () => nodeId,
    firewalled: () => FIREWALL_TEXTS[machine.firewallState] ?? 'unknown',
    connectionCount: () => machine.activeCount,
    peers: () => [...machine.activePeers()].map((peer) => describe(peer, machine.scoreOf(peer.ip), timeOf)),
    bans: () =>
      machine.bans.map(({ address, reason, untilMs }) => ({
        address,
        reason,
        until: secondsText(wallMs() + untilMs - machine.now.monotonicMs),
      })),
    progress: () => ({ blocksBehind: machine.blocksBehind, ...rates() }),
    potentialPeers: () => (machine.storedPeers as Record<string, string | number>[]).map((one) => ({ ...one })),
    addNode: (endpoint) => {
      if (parseEndpoint(endpoint) !== undefined) driver.addPeer(endpoint);
      else nameGiven(endpoint);
    },
    parameters: () => ({
      desired_number_of_connections: machine.options.connectionsWanted,
      maximum_number_of_connections: machine.options.connectionsMax,
    }),
    setParameters: ({ desired_number_of_connections: wanted, maximum_number_of_connections: max }) => {
      const { connectionsWanted, connectionsMax } = machine.options;
      driver.setLimits(wanted ?? connectionsWanted, max ?? connectionsMax);
    },
  };
}

function describe(peer: Peer, score: number, timeOf: (id: BlockId) => number | undefined): NetworkPeer {
  const { hello } = peer;
  const head = peer.lastKnownBlock ?? (peer.sync.reference === NULL_BLOCK_ID ? undefined : peer.sync.reference);
  const known = hello?.known ?? {};
  return {
    host: peer.remote,
    info: {
      addr: peer.remote,
      addrlocal: peer.local,
      services: '00000001',
      lastsend: Math.floor(peer.lastSentWallMs / 1000),
      lastrecv: Math.floor(peer.lastReceivedWallMs / 1000),
      bytessent: peer.bytesSent,
      bytesrecv: peer.bytesReceived,
      conntime: secondsText(peer.openedWallMs),
      pingtime: '',
      pingwait: '',
      version: '',
      subver: hello?.fields.user_agent ?? '',
      inbound: peer.isInbound,
      firewall_status: FIREWALL_TEXTS[peer.firewalled] ?? FIREWALL_TEXTS[FIREWALLED.unknown],
      startingheight: '',
      banscore: score === 0 ? '' : String(Math.ceil(score)),
      syncnode: '',
      ...(known.fc_git_revision_sha === undefined ? {} : { fc_git_revision_sha: known.fc_git_revision_sha }),
      ...(known.platform === undefined ? {} : { platform: known.platform }),
      current_head_block: head ?? NULL_BLOCK_ID,
      current_head_block_number: head === undefined ? 0 : blockNumFromId(head),
      current_head_block_time: timeToText((head === undefined ? undefined : timeOf(head)) ?? 0),
    },
  };
}
