import { timeToText } from '../codec/time.js';
import { blockNumFromId } from '../crypto/digests.js';
import type { Core } from './core.js';
import type { KnownUserData } from './handshake/user-data.js';
import type { Peer } from './peer.js';
import { type CurrentConnection, DIRECTION, NO_NODE_ID } from './wire/messages.js';
import { textVariant, unsignedVariant, type Variant, type VariantObject } from './wire/variant.js';

/** What of a hello's user data is passed on, in this order, however the peer has written it. */
const PASSED_ON: readonly (readonly [name: keyof KnownUserData, kind: 'text' | 'number' | 'time'])[] = [
  ['graphene_git_revision_sha', 'text'],
  ['graphene_git_revision_unix_timestamp', 'time'],
  ['fc_git_revision_sha', 'text'],
  ['fc_git_revision_unix_timestamp', 'time'],
  ['platform', 'text'],
  ['bitness', 'number'],
];

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

/** The block is the last one that is common with the peer; all zeros and 1970 while none is known. */
function userData({ hello, sync }: Peer): VariantObject {
  const known = hello?.known ?? {};
  const passed = PASSED_ON.flatMap(([name, kind]) => {
    const value = known[name];
    return value === undefined ? [] : ([[name, variantOf(value, kind)]] as const);
  });
  return [
    ...passed,
    ['user_agent', textVariant(hello?.fields.user_agent ?? '')],
    ['last_known_block_hash', textVariant(sync.reference)],
    ['last_known_block_number', unsignedVariant(blockNumFromId(sync.reference))],
    ['last_known_block_time', textVariant(timeToText(sync.referenceTime))],
  ];
}

function variantOf(value: string | number, kind: 'text' | 'number' | 'time'): Variant {
  if (kind === 'time') return textVariant(timeToText(Number(value)));
  return kind === 'number' ? unsignedVariant(Number(value)) : textVariant(String(value));
}
