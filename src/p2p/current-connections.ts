import type { Core } from './core.js';
import type { Peer } from './peer.js';
import { type CurrentConnection, DIRECTION, NO_NODE_ID } from './wire/messages.js';
import { entryOf, textVariant, type VariantObject } from './wire/variant.js';

/** Names of a hello's user data that are passed on. */
const PASSED_ON = ['graphene_git_revision_sha', 'fc_git_revision_sha', 'platform', 'bitness'] as const;

export function describeConnections(core: Core): CurrentConnection[] {
  return [...core.activePeers()].map((peer) => describe(core, peer));
}

function describe({ now }: Core, peer: Peer): CurrentConnection {
  return {
    connection_duration: Math.floor((now.monotonicMs - peer.openedMs) / 1000),
    remote_endpoint: peer.remote,
    node_id: peer.identity ?? NO_NODE_ID,
    clock_offset_us: peer.clockOffsetUs,
    round_trip_delay_us: peer.roundTripUs,
    connection_direction: peer.isInbound ? DIRECTION.inbound : DIRECTION.outbound,
    firewalled: peer.firewalled,
    user_data: [...userData(peer)],
  };
}

function userData({ hello, lastKnownBlock }: Peer): VariantObject {
  const given = hello?.fields.user_data ?? [];
  const passed = PASSED_ON.flatMap((name) => {
    const found = entryOf(given, name);
    return found === undefined ? [] : ([[name, found]] as const);
  });
  const known = lastKnownBlock ?? '';
  return [
    ...passed,
    ['user_agent', textVariant(hello?.fields.user_agent ?? '')],
    ['last_known_block_hash', textVariant(known)],
  ];
}
