import { P2P_LIMITS } from './limits.js';
import type { MachineOptions } from './ports.js';

/** How many connections this node makes itself, however many others have come; where few are allowed, a quarter of them. */
export function ownConnections({
  connectionsWanted,
  connectionsMax,
}: Pick<MachineOptions, 'connectionsWanted' | 'connectionsMax'>): number {
  return Math.min(P2P_LIMITS.outbound_min, connectionsWanted, Math.floor(connectionsMax / 4));
}
