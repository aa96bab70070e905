import { forgetOldest } from '../base/forget-oldest.js';
import type { Core } from './core.js';
import { P2P_LIMITS } from './limits.js';
import type { Peer } from './peer.js';
import type { IpText } from './wire/endpoint.js';
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
  peer.timeAskedMs = core.now.monotonicMs;
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

function middle(offsets: bigint[]): bigint | undefined {
  offsets.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  return offsets[offsets.length >> 1];
}

interface LeftClock {
  readonly offsetUs: bigint;
  readonly leftMs: number;
}

/**
 * By how much the clocks of peers are ahead of this one's. Where this one is wrong by more than a block may lie in the future,
 * every peer is left within moments of each connection: then those count that have just told their time and left.
 */
export class PeerClocks {
  readonly #core: Core;
  /** By the address, so that whoever comes again and again is one. */
  readonly #left = new Map<IpText, LeftClock>();

  constructor(core: Core) {
    this.#core = core;
  }

  left({ ip, hasClock, clockOffsetUs }: Peer): void {
    if (!hasClock) return;
    this.#left.delete(ip);
    this.#left.set(ip, { offsetUs: clockOffsetUs, leftMs: this.#core.now.monotonicMs });
    forgetOldest(this.#left, P2P_LIMITS.left_clocks_max);
  }

  /** Milliseconds, of the middle one; undefined while nobody has said. */
  get offsetMs(): number | undefined {
    const { now } = this.#core;
    const active = [...this.#core.activePeers()].filter(({ hasClock }) => hasClock);
    const left = [...this.#left.values()].filter(({ leftMs }) => now.monotonicMs - leftMs < P2P_LIMITS.left_clock_ms);
    const offsets = active.length > 0 ? active.map((one) => one.clockOffsetUs) : left.map((one) => one.offsetUs);
    const offsetUs = middle(offsets);
    return offsetUs === undefined ? undefined : Number(offsetUs) / 1000;
  }
}
