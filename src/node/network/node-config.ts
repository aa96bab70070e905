import { join } from 'node:path';
import { fromHex, toHex } from '../../base/bytes.js';
import { ChainError, check, defineErrors } from '../../base/errors.js';
import type { Random } from '../../base/world.js';
import { type Json, type JsonObject, parseJson } from '../../codec/json.js';
import { PrivateKey } from '../../crypto/private-key.js';
import { type Files, PRIVATE } from '../../storage/files.js';

export const NODE_CONFIG_ERRORS = defineErrors({
  node_config_unreadable: { text: '${file} holds no private key: remove it, and this node takes another one' },
});

const FOLDER = 'p2p';
const CONFIG = 'node_config.json';
const PEERS = 'peers.json';

/** What the network keeps in the data directory, where operators know it to be. */
export class NetworkFolder {
  readonly #files: Files;
  readonly #folder: string;

  constructor(files: Files, dataDir: string) {
    this.#files = files;
    this.#folder = join(dataDir, FOLDER);
    files.makeFolder(this.#folder);
  }

  /** The key that this node is known by, made at its first start. */
  nodeKey(random: Random, listenEndpoint: string, acceptsIncoming: boolean): PrivateKey {
    const file = join(this.#folder, CONFIG);
    const text = this.#files.readText(file);
    const known = text === undefined ? undefined : this.#keyOf(text, file);
    const key = known ?? PrivateKey.fromBytes(random.bytes(32));
    if (known === undefined) {
      const config = {
        listen_endpoint: listenEndpoint,
        accept_incoming_connections: acceptsIncoming,
        wait_if_endpoint_is_busy: false,
        private_key: toHex(key.secret()),
      };
      this.#files.writeText(file, `${JSON.stringify(config, undefined, 2)}\n`, PRIVATE);
    }
    return key;
  }

  #keyOf(text: string, file: string): PrivateKey {
    try {
      const { private_key } = parseJson(text) as JsonObject;
      check(typeof private_key === 'string', NODE_CONFIG_ERRORS.node_config_unreadable, { file });
      return /^[0-9a-f]{64}$/.test(private_key)
        ? PrivateKey.fromBytes(fromHex(private_key))
        : PrivateKey.fromWif(private_key);
    } catch (error) {
      if (!(error instanceof ChainError)) throw error;
      throw new ChainError(NODE_CONFIG_ERRORS.node_config_unreadable, { file });
    }
  }

  /** Undefined where there are none, or none that can be read. */
  peers(onUnreadable: (file: string, error: ChainError) => void): Json | undefined {
    const file = join(this.#folder, PEERS);
    const text = this.#files.readText(file);
    if (text === undefined) return undefined;
    try {
      return parseJson(text);
    } catch (error) {
      if (!(error instanceof ChainError)) throw error;
      onUnreadable(file, error);
      return undefined;
    }
  }

  /** What is not kept is learned again: the node goes on without. */
  storePeers(peers: Json, onFailure: (file: string, error: ChainError) => void): void {
    const file = join(this.#folder, PEERS);
    try {
      this.#files.makeFolder(this.#folder);
      this.#files.writeText(file, `${JSON.stringify(peers, undefined, 2)}\n`);
    } catch (error) {
      if (!(error instanceof ChainError)) throw error;
      onFailure(file, error);
    }
  }
}
