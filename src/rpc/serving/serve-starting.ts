import { type Metric, Registry } from 'prom-client';
import { ChainError } from '../../base/errors.js';
import type { Clock, Logger } from '../../base/world.js';
import type { Endpoint } from '../../config/define.js';
import { MemoryBudget } from '../../http/memory-budget.js';
import { nodeTransport } from '../../http/node-server.js';
import { type StatusSource, statusAnswer } from '../../http/status-pages.js';
import type { TlsFiles, TransportOptions } from '../../http/transport.js';
import { endpointRules, memoryLimits, monitorRules, type RpcOptionValues, tlsOf } from './serve.js';
import { StartingHandler } from './starting-handler.js';

export interface StartingServer {
  /** The first address at which nobody can listen: the RPC could not either, in the end. */
  readonly refusal: ChainError | undefined;
  close(): Promise<void>;
}

export interface StartingParts {
  readonly clock: Clock;
  readonly log: Logger;
  /** Connections of clients that the process has files for. */
  readonly socketsMax?: number | undefined;
  readonly stage: () => string;
  /** What can be counted before there is a chain. */
  readonly metrics: readonly Metric[];
}

/**
 * Answers at every endpoint that the options name while the node loads its state and applies the blocks of its log, which
 * may take hours: that it lives, that it is not ready, and what it is doing. `close` makes room for the RPC itself.
 */
export async function serveStarting(
  options: RpcOptionValues,
  { clock, log, socketsMax, stage, metrics }: StartingParts,
): Promise<StartingServer> {
  const registry = new Registry();
  for (const metric of metrics) registry.registerMetric(metric);
  const pages: StatusSource = {
    stage,
    notReady: () => `starting, ${stage()}`,
    warning: () => undefined,
    metrics: registry,
  };
  const handler = new StartingHandler({
    stage,
    corsOrigin: options['rpc-cors-origin'],
    status: (path) => statusAnswer(pages, path),
  });
  const shared: Omit<TransportOptions, 'at' | 'tls'> = {
    ...endpointRules(options, nodeTransport, clock, socketsMax),
    http: handler,
    sockets: handler,
    memory: new MemoryBudget(memoryLimits(options, nodeTransport).counted),
    log,
    metrics: undefined,
  };
  let refusal: ChainError | undefined;
  const running: { close(): Promise<void> }[] = [];
  const listen = async (at: Endpoint | undefined, more: Partial<TransportOptions>): Promise<void> => {
    // Nobody can know of a port that is not chosen yet.
    if (at === undefined || at.port === 0) return;
    try {
      running.push(await nodeTransport.listen({ ...shared, tls: undefined, ...more, at }));
    } catch (error) {
      if (!(error instanceof ChainError)) throw error;
      refusal ??= error;
    }
  };
  const tls: TlsFiles | undefined = tlsOf(options);
  await listen(options['rpc-endpoint'], {});
  await listen(options['rpc-tls-endpoint'], { tls });
  await listen(options['monitor-endpoint'], monitorRules(pages, shared.limits));
  return {
    refusal,
    async close() {
      for (const one of running.splice(0)) await one.close();
    },
  };
}
