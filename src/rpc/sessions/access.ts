import { createHash, timingSafeEqual } from 'node:crypto';
import { nearest } from '../../base/nearest.js';
import { array, map } from '../../codec/containers.js';
import { parseJson } from '../../codec/json.js';
import { text } from '../../codec/scalars.js';
import { struct } from '../../codec/struct.js';
import type { ValueOf } from '../../codec/type.js';

const accessEntry = struct('api_access_info', {
  password_hash_b64: text,
  password_salt_b64: text,
  allowed_apis: array(text),
});
const accessFile = struct('api_access', { permission_map: map(text, accessEntry) });
type AccessEntry = ValueOf<typeof accessEntry>;

const KNOWN = [
  'database_api',
  'network_broadcast_api',
  'history_api',
  'network_node_api',
  'crypto_api',
  'asset_api',
  'block_api',
  'debug_api',
  'dev_api',
  // Methods that are not for everybody, in an API that is.
  'create_snapshot',
  'copy_state',
];

/** What everybody may use when no file says otherwise; asset and block walk through the whole chain. */
const DEFAULT_APIS = ['database_api', 'network_broadcast_api', 'history_api', 'crypto_api'];

const EVERYBODY = '*';

/** A name in the file that stands for no api. */
export interface UnknownApi {
  readonly user: string;
  readonly name: string;
  readonly nearest: string | undefined;
}

/** Who may use which api: user name and password against the access file. */
export class ApiAccess {
  readonly #entries: ReadonlyMap<string, AccessEntry>;

  constructor(entries: readonly (readonly [string, AccessEntry])[]) {
    this.#entries = new Map(entries);
  }

  static open(extra: readonly string[] = []): ApiAccess {
    const allowed_apis = [...DEFAULT_APIS, ...extra];
    return new ApiAccess([[EVERYBODY, { password_hash_b64: '*', password_salt_b64: '*', allowed_apis }]]);
  }

  /** `onUnknown` is told of names that stand for no api, ours or one `ofPlugins`; they open nothing. */
  static parse(
    content: string,
    onUnknown: (unknown: UnknownApi) => void = () => undefined,
    ofPlugins: readonly string[] = [],
  ): ApiAccess {
    const known = [...KNOWN, ...ofPlugins];
    const file = accessFile.fromJson(parseJson(content));
    for (const [user, entry] of file.permission_map) {
      for (const name of entry.allowed_apis) {
        if (!known.includes(name)) onUnknown({ user, name, nearest: nearest(name, known) });
      }
    }
    return new ApiAccess(file.permission_map);
  }

  /** Whether everybody may use this API, given without `_api`. */
  isOpen(api: string): boolean {
    return this.login(EVERYBODY, '')?.has(api) ?? false;
  }

  /** Names of the apis, without `_api`, that a login opens; undefined when it is refused. */
  login(user: string, password: string): ReadonlySet<string> | undefined {
    const entry = this.#entries.get(user) ?? this.#entries.get(EVERYBODY);
    if (entry === undefined || !matches(entry, password)) return undefined;
    return new Set(entry.allowed_apis.map((name) => name.replace(/_api$/, '')));
  }
}

function matches(entry: AccessEntry, password: string): boolean {
  if (entry.password_hash_b64 === '*') return true;
  const expected = Buffer.from(entry.password_hash_b64, 'base64');
  const salt = Buffer.from(entry.password_salt_b64, 'base64');
  const actual = createHash('sha256').update(Buffer.from(password, 'utf8')).update(salt).digest();
  return expected.length === actual.length && timingSafeEqual(expected, actual);
}
