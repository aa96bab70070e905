import type { LogValues } from '../base/world.js';
import type { Lane, Parcel } from './outbox.js';
import type { Peer } from './peer.js';
import type { ReasonCode } from './policy/reasons.js';
import type { ChainView, MachineOptions, Reading, Wish } from './ports.js';
import type { Message, MessageName } from './wire/messages.js';

/** What the rooms of the machine share: the moment, the peers, and the ways out. */
export interface Core {
  readonly now: Reading;
  readonly options: MachineOptions;
  readonly chain: ChainView;
  readonly peers: ReadonlyMap<number, Peer>;
  activePeers(): Iterable<Peer>;
  send<N extends MessageName>(peer: Peer, name: N, message: Message<N>, lane?: Lane): void;
  post(peer: Peer, parcel: Parcel, lane?: Lane): void;
  /** Ends the connection; harmless where that has begun already. */
  close(peer: Peer, reason: ReasonCode, values?: LogValues): void;
  wish(wish: Wish): void;
  /** The next name for something that is handed to the chain. */
  ticket(): number;
}
