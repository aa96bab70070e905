import type { Chain } from '../chain/chain.js';
import type { ChainPort } from '../rpc/ports.js';
import type { Shutdown } from './runtime/shutdown.js';
import type { Settings } from './settings.js';
import type { World } from './world.js';

export interface RpcEndpoints {
  /** As it listens, with the real port: `127.0.0.1:8090`. */
  readonly plain: string | undefined;
  readonly tls: string | undefined;
}

export interface OpenRpcParts {
  readonly settings: Settings;
  readonly port: ChainPort;
  readonly chain: Chain;
  readonly world: World;
  readonly shutdown: Shutdown;
}

export async function openRpc(_parts: OpenRpcParts): Promise<RpcEndpoints> {
  return { plain: undefined, tls: undefined };
}
