import type { Room } from '../http/memory-budget.js';
import { APIS } from './apis/index.js';
import type { ApiDef } from './define.js';
import { openRpcDocument } from './described/open-rpc.js';
import { CompiledApi } from './dispatch/compiled.js';
import { Dispatcher, type DispatcherLimits, type DispatcherMetrics } from './dispatcher.js';
import type { RpcPorts } from './ports.js';
import { RpcServices } from './remembered/services.js';
import type { ApiAccess } from './sessions/access.js';
import { type ApiSet, type Connection, Session } from './sessions/session.js';

export interface RpcSettings {
  readonly access: ApiAccess;
  /** Gives every connection the network_node API as id 4. */
  readonly networkNodeForAll?: boolean;
  readonly limits?: Partial<DispatcherLimits>;
  readonly metrics?: DispatcherMetrics;
  /** Where requests that wait for their turn are counted; without one only their own limit holds. */
  readonly room?: Room;
  /** APIs of plugins; to one that is there already they add methods, or do them in another way. */
  readonly apis?: readonly ApiDef[];
}

/** The RPC layer without a socket: what transports and tests talk to. */
export class Rpc {
  readonly services: RpcServices;
  readonly dispatcher: Dispatcher;
  readonly #apis: ApiSet;
  readonly #settings: RpcSettings;

  constructor(node: RpcPorts, settings: RpcSettings) {
    this.#settings = settings;
    const definitions = new Map(APIS.map((definition) => [definition.name, definition]));
    for (const definition of settings.apis ?? []) {
      const own = definitions.get(definition.name);
      definitions.set(definition.name, { ...definition, methods: { ...own?.methods, ...definition.methods } });
    }
    this.#apis = new Map([...definitions].map(([name, definition]) => [name, new CompiledApi(definition)]));
    this.services = new RpcServices(node);
    this.dispatcher = new Dispatcher(node, this.services, settings.limits, settings.metrics, settings.room);
    this.dispatcher.describe = () => openRpcDocument([...definitions.values()]);
  }

  openSession(connection: Connection, credentials?: readonly [string, string]): Session {
    return new Session(connection, this.#apis, this.#settings.access, {
      ...(this.#settings.networkNodeForAll === true ? { networkNodeForAll: true } : {}),
      ...(credentials === undefined ? {} : { credentials }),
    });
  }

  close(): void {
    this.services.close();
  }
}
