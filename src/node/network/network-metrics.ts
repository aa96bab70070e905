import { Gauge } from 'prom-client';
import { HELD_MAX, type HeldKind } from '../../p2p/held.js';
import type { Machine } from '../../p2p/machine.js';
import type { Peer } from '../../p2p/peer.js';
import type { SyncProgress } from './sync-progress.js';

const gauge = (name: string, help: string, read: () => number): Gauge =>
  new Gauge({
    name: `trustnode_p2p_${name}`,
    help,
    registers: [],
    collect() {
      this.set(read());
    },
  });

function counts(name: string, help: string, read: () => ReadonlyMap<string, number>): Gauge<'reason'> {
  return new Gauge({
    name: `trustnode_p2p_${name}`,
    help,
    labelNames: ['reason'],
    registers: [],
    collect() {
      for (const [reason, count] of read()) this.set({ reason }, count);
    },
  });
}

/** One series for each peer that is connected; those of peers that have left are gone. */
function byPeer(machine: Machine, name: string, help: string, read: (peer: Peer) => number): Gauge<'peer'> {
  return new Gauge({
    name: `trustnode_p2p_peer_${name}`,
    help,
    labelNames: ['peer'],
    registers: [],
    collect() {
      this.reset();
      for (const peer of machine.activePeers()) this.set({ peer: peer.remote }, read(peer));
    },
  });
}

function held(machine: Machine): Gauge<'kind'> {
  return new Gauge({
    name: 'trustnode_p2p_held',
    help: 'What the network keeps in memory for peers and because of them, each kind with a bound of its own',
    labelNames: ['kind'],
    registers: [],
    collect() {
      const now = machine.held;
      for (const kind of Object.keys(HELD_MAX) as HeldKind[]) this.set({ kind }, now[kind]);
    },
  });
}

export function networkMetrics(machine: Machine, progress: SyncProgress): Gauge[] {
  return [
    gauge('peers', 'Peers that take part in everything', () => machine.activeCount),
    gauge('blocks_behind', 'Blocks that peers have and this node does not', () => machine.blocksBehind),
    gauge('blocks_per_second', 'Blocks applied, lately', () => progress.rates.blocksPerSec),
    gauge('transactions_per_second', 'Transactions applied, lately', () => progress.rates.transactionsPerSec),
    gauge('seconds_left', 'Until this node is level with its peers at this pace', () => progress.rates.leftSec ?? 0),
    gauge('banned_addresses', 'Addresses from which nothing is taken', () => machine.bans.length),
    gauge('clock_offset_seconds', 'By which most peers’ clocks are ahead', () => (machine.clockOffsetMs ?? 0) / 1000),
    counts('connections_ended', 'Connections that have ended since the start, by reason', () => machine.closures),
    counts('connections_refused', 'Connections of others that were not taken, by reason', () => machine.refusals),
    byPeer(machine, 'bytes_sent', 'Bytes sent to a peer', (peer) => peer.bytesSent),
    byPeer(machine, 'bytes_received', 'Bytes that came from a peer', (peer) => peer.bytesReceived),
    byPeer(machine, 'round_trip_seconds', 'Of the last exchange of times', (peer) => Number(peer.roundTripUs) / 1e6),
    byPeer(
      machine,
      'blocks_listed',
      'Blocks that the peer has listed and this node lacks',
      ({ sync }) => sync.pending.length + sync.processing.size + sync.unlisted,
    ),
    byPeer(machine, 'score', 'What the peer’s address has to answer for; at 100 it is banned', ({ ip }) =>
      machine.scoreOf(ip),
    ),
    held(machine),
  ] as Gauge[];
}
