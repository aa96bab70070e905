import { check } from '../../base/errors.js';
import { durationText } from '../../node/runtime/duration.js';
import { type NodeDoor, STATUS_ERRORS } from '../node-door.js';

export interface StatusReport {
  readonly node: string;
  readonly version: string | null;
  readonly uptime_seconds: number | null;
  /** Null where the node says so to its operator alone. */
  readonly ready: boolean | null;
  /** Why it is not ready, or what it warns of. */
  readonly says: string;
  /** Null until it serves its clients. */
  readonly chain: {
    readonly id: string;
    readonly head_block: number;
    readonly head_time: string;
    readonly head_age_seconds: number;
    readonly irreversible_block: number;
    readonly participation: number | null;
  } | null;
  /** Null without a peer-to-peer network. */
  readonly network: { readonly peers: number; readonly blocks_behind: number } | null;
  readonly production: {
    /** Slots of this node's witnesses that stayed empty since its start. */
    readonly missed: Readonly<Record<string, number>>;
    readonly produced: number;
    /** What kept it from making blocks, in answers since its start. */
    readonly reasons: Readonly<Record<string, number>>;
  };
  readonly followers: readonly { readonly name: string; readonly behind: number; readonly stopped: boolean }[];
  readonly queues: Readonly<Record<string, number>>;
  readonly memory_bytes: number | null;
  readonly disk: { readonly used_bytes: Readonly<Record<string, number>>; readonly free_bytes: number | null };
}

interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Series of the text that Prometheus reads. */
export class Samples {
  readonly #byName = new Map<string, Sample[]>();

  constructor(text: string) {
    for (const line of text.split('\n')) {
      const [, name, labels = '', value] = /^([a-z_]\w*)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
      if (name === undefined || value === undefined) continue;
      const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, key = '', text = '']) => [key, text]);
      const sample = { labels: Object.fromEntries(pairs) as Record<string, string>, value: Number(value) };
      this.#byName.set(name, [...(this.#byName.get(name) ?? []), sample]);
    }
  }

  all(name: string): readonly Sample[] {
    return this.#byName.get(name) ?? [];
  }

  one(name: string): number | null {
    return this.all(name)[0]?.value ?? null;
  }

  by(name: string, label: string): Record<string, number> {
    return Object.fromEntries(this.all(name).map(({ labels, value }) => [labels[label] ?? '', value]));
  }
}

/** Answers of the block production that are nothing to look into. */
const QUIET_ANSWERS = new Set(['produced', 'not_my_turn', 'not_time_yet']);
const QUEUES = {
  blocks: 'trustnode_import_queue_blocks',
  signatures: 'trustnode_signature_queue_calls',
  transactions: 'trustnode_chain_pending_transactions',
} as const;

interface HeadProperties {
  readonly head_block_number: number;
  readonly time: string;
  readonly last_irreversible_block_num: number;
}

export async function statusOf(door: NodeDoor, nowMs: number): Promise<StatusReport> {
  const [ready, metrics] = [await door.get('/readyz'), await door.get('/metrics')];
  const samples = new Samples(metrics.status === 200 ? metrics.body : '');
  // An endpoint for clients has no such pages, once it serves them.
  const saysReady = ready.body === '' || ready.body.startsWith('{') ? undefined : ready.body.trim();
  const isStarting = samples.one('trustnode_starting') === 1 || saysReady?.startsWith('starting,') === true;
  const answers = samples.by('trustnode_witness_answers_total', 'answer');
  const peers = samples.one('trustnode_p2p_peers');
  const startSec = samples.one('process_start_time_seconds');
  const stopped = samples.by('trustnode_follower_stopped', 'follower');
  const queues = Object.entries(QUEUES).map(([name, metric]) => [name, samples.one(metric)] as const);
  const version = samples.all('trustnode_build_info')[0]?.labels.version ?? null;
  const chain = isStarting ? null : await chainOf(door, samples, nowMs);
  const isOther = saysReady !== undefined && !isStarting && version === null && chain === null;
  check(!isOther, STATUS_ERRORS.node_other, { name: door.name });
  return {
    node: door.name,
    version,
    uptime_seconds: startSec === null ? null : Math.max(0, Math.round(nowMs / 1000 - startSec)),
    ready: saysReady === undefined ? null : ready.status === 200,
    says: saysReady ?? '',
    chain,
    network: peers === null ? null : { peers, blocks_behind: samples.one('trustnode_p2p_blocks_behind') ?? 0 },
    production: {
      produced: answers.produced ?? 0,
      missed: samples.by('trustnode_witness_slots_missed_total', 'witness'),
      reasons: Object.fromEntries(
        Object.entries(answers).filter(([answer, count]) => count > 0 && !QUIET_ANSWERS.has(answer)),
      ),
    },
    followers: Object.entries(samples.by('trustnode_follower_blocks_behind', 'follower')).map(([name, behind]) => ({
      name,
      behind,
      stopped: stopped[name] === 1,
    })),
    queues: Object.fromEntries(queues.filter((one): one is [string, number] => one[1] !== null)),
    memory_bytes: samples.one('process_resident_memory_bytes'),
    disk: {
      used_bytes: samples.by('trustnode_disk_used_bytes', 'part'),
      free_bytes: samples.one('trustnode_disk_free_bytes'),
    },
  };
}

async function chainOf(door: NodeDoor, samples: Samples, nowMs: number): Promise<StatusReport['chain']> {
  const head = (await door.call('get_dynamic_global_properties')) as HeadProperties | undefined;
  if (head === undefined) return null;
  return {
    id: String(await door.call('get_chain_id')),
    head_block: head.head_block_number,
    head_time: head.time,
    head_age_seconds: Math.max(0, Math.round((nowMs - Date.parse(`${head.time}Z`)) / 1000)),
    irreversible_block: head.last_irreversible_block_num,
    participation: samples.one('trustnode_chain_participation_ratio'),
  };
}

/** So many slots the chain remembers. */
const SLOTS_LOOKED_AT = 128;

const bytesText = (bytes: number): string =>
  bytes >= 1e9 ? `${(bytes / 1e9).toFixed(1)} GB` : `${(bytes / 1e6).toFixed(bytes >= 1e8 ? 0 : 1)} MB`;
const named = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .map(([name, count]) => `${name} ${count}`)
    .join(', ');

/** A share of what lay before block 1 would alarm whoever has begun a chain, and says nothing of those who make its blocks. */
function slotsText(share: number, headBlock: number): string {
  const text = `${Math.round(share * 100)} % of the last ${SLOTS_LOOKED_AT}`;
  return headBlock < SLOTS_LOOKED_AT ? `${text}, which reach back behind block 1: the chain is young` : text;
}

/** A row for each thing that an operator asks first. */
export function statusText(report: StatusReport): string {
  const { chain, network, production, followers, queues, disk } = report;
  const rows: [string, string][] = [['node', report.node]];
  if (report.version !== null) {
    const up = report.uptime_seconds === null ? '' : `, up for ${durationText(report.uptime_seconds)}`;
    rows.push(['version', `${report.version}${up}`]);
  }
  const [first = '', ...more] = report.says.split('\n');
  if (report.ready !== null) rows.push(['ready', report.ready ? 'yes' : `no: ${first}`]);
  rows.push(...more.map((line): [string, string] => ['', line]));
  if (chain !== null) {
    const left = chain.head_block - chain.irreversible_block;
    rows.push(
      ['chain', chain.id],
      ['head', `block ${chain.head_block}, ${durationText(chain.head_age_seconds)} old (${chain.head_time} UTC)`],
      ['irreversible', `block ${chain.irreversible_block}, ${left} behind the head`],
    );
    if (chain.participation !== null) rows.push(['slots filled', slotsText(chain.participation, chain.head_block)]);
  }
  if (report.version !== null) {
    rows.push([
      'peers',
      network === null ? 'no network' : `${network.peers}, ${network.blocks_behind} blocks behind them`,
    ]);
  }
  if (production.produced > 0 || Object.keys(production.reasons).length > 0) {
    rows.push(['blocks made', `${production.produced} since the start`]);
    if (Object.keys(production.missed).length > 0) rows.push(['slots missed', named(production.missed)]);
    if (Object.keys(production.reasons).length > 0) rows.push(['not made for', named(production.reasons)]);
  }
  for (const { name, behind, stopped } of followers) {
    rows.push([name, stopped ? 'has stopped: see the log' : `${behind} blocks behind`]);
  }
  if (Object.keys(queues).length > 0) rows.push(['waiting', named(queues)]);
  if (report.memory_bytes !== null) rows.push(['memory', bytesText(report.memory_bytes)]);
  const used = Object.values(disk.used_bytes).reduce((sum, bytes) => sum + bytes, 0);
  if (disk.free_bytes !== null) rows.push(['disk', `${bytesText(used)} used, ${bytesText(disk.free_bytes)} free`]);
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, text]) => `${name.padEnd(width)}  ${text}\n`).join('');
}
