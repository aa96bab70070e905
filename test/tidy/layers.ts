/**
 * The rules of the house: who may import whom, what would break determinism, which package lives where. The rules are
 * data and the checks are functions over source text, so that fixtures can prove that they bite.
 */

export interface SourceFile {
  /** From the project root, with `/`: `src/chain/chain.ts`. */
  readonly path: string;
  readonly text: string;
}

export interface Finding {
  readonly path: string;
  readonly line: number;
  readonly rule: string;
}

const CORE = ['base', 'crypto', 'codec', 'protocol'];

/** Folder of src (or `plugins`) to the folders or files that it may import from; itself is always allowed. */
const LAYERS: Readonly<Record<string, readonly string[]>> = {
  base: [],
  config: ['base'],
  crypto: ['base'],
  codec: ['base'],
  http: ['base'],
  protocol: ['base', 'crypto', 'codec'],
  api: ['base', 'codec', 'protocol'],
  client: [...CORE, 'api', 'http/client-socket'],
  state: CORE,
  operations: [...CORE, 'state'],
  vm: [...CORE, 'operations/contract'],
  chain: [...CORE, 'state', 'operations'],
  verify: CORE,
  storage: ['base', 'codec', 'protocol', 'state', 'operations', 'chain/ports'],
  importer: [
    'base',
    'codec',
    'crypto',
    'protocol',
    'verify',
    'operations/define',
    'chain/doors',
    'chain/facts',
    'storage',
  ],
  p2p: [...CORE, 'config/define'],
  witness: [...CORE, 'config/define'],
  rpc: [...CORE, 'api', 'http', 'operations', 'state', 'chain/events', 'vm/abi', 'config/define'],
  plugin: [...CORE, 'chain/doors', 'chain/events', 'rpc/define', 'rpc/history-source', 'config/define', 'storage/kv'],
  wallet: [...CORE, 'api', 'client', 'http', 'config', 'trade', 'vm/abi', 'state/rules/vesting'],
  trade: [...CORE],
  explorer: ['base/bytes', 'crypto/memo', 'crypto/private-key', 'crypto/public-key', 'page/dom', 'page/round-numbers'],
  page: ['base/distinct-times', 'client', 'codec', 'crypto', 'http/client-socket', 'protocol', 'trade'],
  services: [...CORE, 'api', 'client', 'http', 'config', 'trade'],
  plugins: [
    ...CORE,
    'api',
    'client/connection',
    'operations',
    'state/define',
    'state/objects',
    'state/views',
    'plugin/api',
    'plugin/carried-counts',
    'plugin/follower',
    'plugin/follower-thread',
    'plugin/part',
    'plugin/stored-follower',
    'rpc/define',
    'rpc/history-source',
    'rpc/limits',
    'rpc/objects/stored-block',
    'rpc/pieces/pieces',
    'config/define',
  ],
  node: ['*'],
  testing: ['base', 'client', 'codec', 'protocol', 'node', 'rpc/ports'],
  commands: ['*'],
  bin: ['*'],
};

/** Nothing imports these but what stands behind them. */
const ENTRANCES: Readonly<Record<string, readonly string[]>> = {
  node: ['commands', 'bin', 'testing'],
  commands: ['bin'],
  bin: [],
};

/** Synchronous and deterministic: the same input gives the same state on every machine. */
const CONSENSUS = ['crypto', 'codec', 'protocol', 'state', 'operations', 'vm', 'chain', 'base'];
/** Parts of base that consensus code must not use either. */
const WORLDLY = ['base/world', 'base/queue', 'base/crash-point'];

const BANS: readonly (readonly [RegExp, string])[] = [
  [/\bDate\b/, 'no clock'],
  [/\bMath\.random\b/, 'no randomness'],
  [/\blocaleCompare\b|\bIntl\.|\btoLocale/, 'no locale'],
  [/\bawait\b|\basync\b|\bPromise\b/, 'synchronous'],
  [/\bsetTimeout\b|\bsetInterval\b|\bsetImmediate\b|\bqueueMicrotask\b/, 'no timers'],
  [/\bprocess\./, 'no environment'],
  [/\bconsole\./, 'no logging'],
  [/\bperformance\b/, 'no clock'],
  [/from 'node:|require\(/, 'no node modules'],
  [/\.(?:sort|toSorted)\(\)/, 'no default sort: it compares as text'],
  [/\bparseFloat\b|\btoFixed\b|\bMath\.(?:sqrt|pow|exp|log\w*|sin|cos|tan|atan2?|cbrt|hypot)\b/, 'no floating point'],
];
const EXCUSE = /\/\/ nondet-ok: \S/;

/** Package to the only places that import it. */
const HOMES: Readonly<Record<string, readonly string[]>> = {
  // Of services for the sake of its lock alone.
  level: ['src/storage/', 'src/services/common/'],
  // What `level` stands on.
  'classic-level': [],
  msgpackr: ['src/storage/', 'src/verify/'],
  '@noble/secp256k1': ['src/crypto/'],
  '@noble/hashes': ['src/crypto/', 'src/page/platform/'],
  '@noble/ciphers': ['src/page/platform/'],
  secp256k1: ['src/crypto/'],
  koffi: ['src/crypto/'],
  piscina: ['src/verify/'],
  'uWebSockets.js': ['src/http/'],
  ws: ['src/http/'],
  pino: ['src/node/'],
  'prom-client': ['src/rpc/', 'src/node/', 'src/plugin/', 'src/services/'],
  kysely: ['src/services/'],
  'better-sqlite3': ['src/services/common/'],
  'better-sqlite3-node-api': ['src/services/common/'],
  pg: ['src/services/common/'],
  'ipfs-unixfs-importer': ['src/services/content/'],
  'ipfs-unixfs': ['src/services/content/'],
  '@ipld/dag-pb': ['src/services/content/'],
  'kubo-rpc-client': ['src/services/content/'],
  multiformats: ['src/services/content/', 'src/services/storage/'],
  yargs: ['src/bin/', 'src/commands/', 'src/config/'],
};

const IMPORT = /(?:\bfrom\s*|\bimport\s*\(?\s*|\brequire\(\s*)['"]([^'"]+)['"]/;

function zoneOf(path: string): string {
  const parts = path.split('/');
  return parts[0] === 'src' ? (parts[1] ?? '') : (parts[0] ?? '');
}

/** `src/chain/chain.ts` importing `../state/views.js` gives `state/views`. */
function resolve(path: string, target: string): string {
  const parts = path.split('/').slice(0, -1);
  for (const step of target.split('/')) {
    if (step === '..') parts.pop();
    else if (step !== '.') parts.push(step);
  }
  const joined = parts.join('/').replace(/\.js$/, '');
  return joined.startsWith('src/') ? joined.slice(4) : joined;
}

function checkLocalImport(from: string, target: string): string | undefined {
  const zone = zoneOf(from);
  const wanted = resolve(from, target);
  const wantedZone = wanted.split('/')[0] ?? '';
  if (wantedZone === zone) {
    const plugin = from.split('/')[1];
    const crosses = zone === 'plugins' && wanted.split('/')[1] !== plugin;
    return crosses ? 'plugins never import each other' : undefined;
  }
  const behind = ENTRANCES[wantedZone];
  if (behind !== undefined && !behind.includes(zone))
    return `nothing imports ${wantedZone} but ${behind.join(', ') || 'nobody'}`;
  const allowed = LAYERS[zone];
  if (allowed === undefined) return `${zone} is not a known folder`;
  const fits = allowed.some((place) => fitsPlace(wanted, place));
  if (!fits) return `${zone} must not import ${wanted}`;
  if (CONSENSUS.includes(zone) && WORLDLY.includes(wanted)) return `consensus code must not import ${wanted}`;
  return undefined;
}

function checkPackage(path: string, target: string): string | undefined {
  const name = target.startsWith('@') ? target.split('/').slice(0, 2).join('/') : (target.split('/')[0] ?? '');
  const homes = HOMES[name];
  if (homes === undefined || !path.startsWith('src/')) return undefined;
  return homes.some((home) => path.startsWith(home))
    ? undefined
    : `${name} is imported only in ${homes.join(', ') || 'no file'}`;
}

function stripComment(line: string): string {
  const trimmed = line.trimStart();
  if (trimmed.startsWith('*') || trimmed.startsWith('/*') || trimmed.startsWith('//')) return '';
  return line;
}

export function findings(file: SourceFile): Finding[] {
  const out: Finding[] = [];
  const zone = zoneOf(file.path);
  const isConsensus =
    file.path.startsWith('src/') && CONSENSUS.includes(zone) && !WORLDLY.some((w) => file.path === `src/${w}.ts`);
  file.text.split('\n').forEach((raw, index) => {
    const line = stripComment(raw);
    const report = (rule: string | undefined): void => {
      if (rule !== undefined) out.push({ path: file.path, line: index + 1, rule });
    };
    const target = IMPORT.exec(line)?.[1];
    if (target !== undefined)
      report(target.startsWith('.') ? checkLocalImport(file.path, target) : checkPackage(file.path, target));
    if (!isConsensus || EXCUSE.test(raw)) return;
    // Texts may name what code must not use; a package's name in an import must not.
    const code = target === undefined ? line.replace(/'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"/g, "''") : line;
    for (const [pattern, why] of BANS) if (pattern.test(code)) report(why);
  });
  return out;
}

const fitsPlace = (wanted: string, place: string): boolean =>
  place === '*' || wanted === place || wanted.startsWith(`${place}/`) || wanted.startsWith(`${place}-`);

/** Lines of the table that no file needs. */
export function unusedPermissions(files: readonly SourceFile[]): { house: string; place: string }[] {
  const used = new Map<string, Set<string>>();
  for (const { path, text } of files) {
    const house = zoneOf(path);
    const wanted = used.get(house) ?? new Set<string>();
    used.set(house, wanted);
    for (const match of text.matchAll(new RegExp(IMPORT, 'g'))) {
      const target = match[1] ?? '';
      if (target.startsWith('.')) wanted.add(resolve(path, target));
    }
  }
  return Object.entries(LAYERS).flatMap(([house, places]) =>
    places
      .filter((place) => ![...(used.get(house) ?? [])].some((wanted) => fitsPlace(wanted, place)))
      .map((place) => ({ house, place })),
  );
}

/** Import cycles between files, types included: each is a list of paths. */
export function cycles(files: readonly SourceFile[]): string[][] {
  const graph = new Map<string, string[]>();
  for (const file of files) {
    const targets: string[] = [];
    for (const match of file.text.matchAll(new RegExp(IMPORT, 'g'))) {
      const target = match[1] ?? '';
      if (!target.startsWith('.')) continue;
      const wanted = resolve(file.path, target);
      targets.push(wanted.startsWith('plugins/') ? `${wanted}.ts` : `src/${wanted}.ts`);
    }
    graph.set(file.path, targets);
  }
  const done = new Set<string>();
  const found: string[][] = [];
  const visit = (path: string, trail: string[]): void => {
    const at = trail.indexOf(path);
    if (at >= 0) {
      found.push([...trail.slice(at), path]);
      return;
    }
    if (done.has(path)) return;
    for (const next of graph.get(path) ?? []) visit(next, [...trail, path]);
    done.add(path);
  };
  for (const path of graph.keys()) visit(path, []);
  return found;
}
