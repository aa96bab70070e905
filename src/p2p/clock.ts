import type { Core } from './core.js';
import type { Peer } from './peer.js';
import { encodeMessage, MESSAGES, type Message } from './wire/messages.js';

/** Microseconds since 1970. */
const wallUs = ({ now }: Core): bigint => BigInt(Math.round(1000 * now.wallMs));

const REQUEST_BYTES = 8;
const REPLY_BYTES = 24;

/** Also what keeps a silent connection alive. The time is that of sending, not of queueing. */
export function askTime(core: Core, peer: Peer): void {
  const make = () => ({
    type: MESSAGES.current_time_request.type,
    payload: encodeMessage('current_time_request', { request_sent_time: wallUs(core) }),
  });
  core.post(peer, { type: MESSAGES.current_time_request.type, bytes: REQUEST_BYTES, make });
}

export function answerTime(core: Core, peer: Peer, { request_sent_time }: Message<'current_time_request'>): void {
  const request_received_time = wallUs(core);
  const make = () => {
    const reply = { request_sent_time, request_received_time, reply_transmitted_time: wallUs(core) };
    return { type: MESSAGES.current_time_reply.type, payload: encodeMessage('current_time_reply', reply) };
  };
  core.post(peer, { type: MESSAGES.current_time_reply.type, bytes: REPLY_BYTES, make });
}

export interface ClockReading {
  readonly offsetUs: bigint;
  readonly roundTripUs: bigint;
}

/** What four times say: asked, question there, answered, answer here. Divisions cut off. */
export function clockReading(asked: bigint, there: bigint, answered: bigint, here: bigint): ClockReading {
  return { offsetUs: (there - asked + (answered - here)) / 2n, roundTripUs: here - asked - (answered - there) };
}

export function timeCame(core: Core, peer: Peer, reply: Message<'current_time_reply'>): void {
  const { request_sent_time, request_received_time, reply_transmitted_time } = reply;
  const read = clockReading(request_sent_time, request_received_time, reply_transmitted_time, wallUs(core));
  peer.clockOffsetUs = BigInt.asIntN(64, read.offsetUs);
  peer.roundTripUs = BigInt.asIntN(64, read.roundTripUs);
  peer.hasClock = true;
}

/** Milliseconds by which most peers' clocks are ahead of this one's; undefined while nobody has said. */
export function medianOffsetMs(peers: Iterable<Peer>): number | undefined {
  const offsets: bigint[] = [];
  for (const peer of peers) if (peer.hasClock) offsets.push(peer.clockOffsetUs);
  if (offsets.length === 0) return undefined;
  offsets.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  return Number(offsets[offsets.length >> 1] as bigint) / 1000;
}
