import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { freePort } from '../../support/free-port.js';
import { type ElasticFiles, elasticFiles, LAUNCHER } from './tools.js';

export interface ElasticSettings {
  /** Of the Java heap. */
  readonly heapMb?: number;
  readonly port?: number;
  /** Data are kept here; a new temporary folder otherwise. */
  readonly home?: string;
  readonly settings?: Readonly<Record<string, string>>;
}

const HEAP_MB = 384;
const STDERR_KEPT = 20_000;

/** So that tests on small and full disks are about what they want to be about. */
const ANY_DISK = { 'cluster.routing.allocation.disk.threshold_enabled': 'false' };

/** One real Elasticsearch as a process, on a port and in a folder that stay the same when it is started again. */
export class ElasticServer {
  readonly url: string;
  readonly home: string;
  readonly #java: readonly string[];
  readonly #settings: Readonly<Record<string, string>>;
  #child: ChildProcess | undefined;
  #stderr = '';

  private constructor(java: readonly string[], url: string, home: string, settings: Record<string, string>) {
    this.url = url;
    this.home = home;
    this.#java = java;
    this.#settings = settings;
  }

  /** Ready to be started. */
  static async prepare(settings: ElasticSettings = {}): Promise<ElasticServer> {
    const files = await elasticFiles(archiveClasses);
    return ElasticServer.prepareWith(files, `-XX:SharedArchiveFile=${files.classes}`, settings);
  }

  static async prepareWith(
    { server, launcher }: ElasticFiles,
    archiveFlag: string,
    { heapMb = HEAP_MB, port, home, settings = {} }: ElasticSettings = {},
  ): Promise<ElasticServer> {
    const folder = home ?? mkdtempSync(join(tmpdir(), 'trustnode-elastic-'));
    for (const name of ['config', 'data', 'logs', 'plugins']) mkdirSync(join(folder, name), { recursive: true });
    try {
      symlinkSync(join(server, 'modules'), join(folder, 'modules'));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    const http = port ?? (await freePort());
    const isAlone = settings['cluster.initial_master_nodes'] === undefined;
    const all = {
      ...ANY_DISK,
      'path.data': join(folder, 'data'),
      'http.port': String(http),
      ...(isAlone ? { 'discovery.type': 'single-node', 'transport.port': String(await freePort()) } : {}),
      ...settings,
    };
    const flags = ['-Xms64m', `-Xmx${heapMb}m`, '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', archiveFlag];
    const java = [...flags, '-cp', [launcher, join(server, 'lib', '*')].join(delimiter)];
    return new ElasticServer(java, `http://127.0.0.1:${http}/`, folder, all);
  }

  static async start(settings?: ElasticSettings): Promise<ElasticServer> {
    const server = await ElasticServer.prepare(settings);
    await server.start();
    return server;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** Settles when it listens. */
  async start(): Promise<void> {
    const given = Object.entries(this.#settings).map(([name, value]) => `${name}=${value}`);
    const child = spawn('java', [...this.#java, LAUNCHER, this.home, ...given], {
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    this.#child = child;
    this.#stderr = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-STDERR_KEPT);
    });
    await new Promise<void>((resolve, reject) => {
      let seen = '';
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        seen = (seen + text).slice(-STDERR_KEPT);
        if (/^READY$/m.test(seen)) resolve();
      });
      child.once('error', reject);
      child.once('exit', (code, signal) =>
        reject(new Error(`Elasticsearch ended (${code ?? signal}) before it listened: ${seen}${this.#stderr}`)),
      );
    });
  }

  /** Ends it as the signal does: SIGKILL leaves it no time for anything. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill(signal);
    await ended;
    this.#child = undefined;
  }

  /** It does nothing any more and holds its connections, until `resume`. */
  pause(): void {
    this.#child?.kill('SIGSTOP');
  }

  resume(): void {
    this.#child?.kill('SIGCONT');
  }

  /** Stops it and removes its data. */
  async remove(): Promise<void> {
    this.resume();
    await this.stop('SIGKILL');
    rmSync(this.home, { recursive: true, force: true });
  }
}

/** A server in order from its start to its end, which leaves the classes of it in the file. */
async function archiveClasses(files: ElasticFiles, file: string): Promise<void> {
  const server = await ElasticServer.prepareWith(files, `-XX:ArchiveClassesAtExit=${file}`);
  try {
    await server.start();
    await server.stop();
  } finally {
    await server.remove();
  }
}

/** Several servers that form one cluster. */
export async function startCluster(count: number, settings: ElasticSettings = {}): Promise<ElasticServer[]> {
  const ports: number[] = [];
  while (ports.length < count) {
    const port = await freePort();
    if (!ports.includes(port)) ports.push(port);
  }
  const names = ports.map((_, at) => `node-${at}`);
  const servers = await Promise.all(
    ports.map((port, at) =>
      ElasticServer.prepare({
        ...settings,
        settings: {
          'node.name': names[at] as string,
          'transport.port': String(port),
          // A comma makes a list of it, for one seed too.
          'discovery.seed_hosts': `${ports.map((one) => `127.0.0.1:${one}`).join(',')},`,
          'cluster.initial_master_nodes': `${names.join(',')},`,
          ...settings.settings,
        },
      }),
    ),
  );
  await Promise.all(servers.map((server) => server.start()));
  return servers;
}
