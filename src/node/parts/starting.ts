import { ChainError } from '../../base/errors.js';
import { endpoint } from '../../config/define.js';
import { checkTcpListens } from '../../p2p/tcp.js';
import { definePart } from '../../plugin/part.js';
import { serveStarting } from '../../rpc/serving/serve-starting.js';
import { connectionRoom } from '../runtime/open-files.js';
import { startMetrics } from '../runtime/start-metrics.js';
import type { NodeOptions } from '../settings/options.js';
import { NODE_VIEW, SETTINGS } from './given.js';
import { CLIENTS_TITLE, PEERS_TITLE } from './titles.js';

export interface Starting {
  /** Refuses a start that would end at a port which is taken, as the part does that listens there, before anything long is done. */
  checkPorts(): void;
  close(): Promise<void>;
}

/** Answers in place of the RPC until that is open, by the options of the RPC. */
export const startingPart = definePart({
  name: 'answers while starting',
  needs: { settings: SETTINGS, view: NODE_VIEW },
  logModule: 'rpc',
  async open({ needs: { settings, view }, clock, log }) {
    const { options } = settings;
    const server = await serveStarting(options, {
      clock,
      log,
      socketsMax: connectionRoom()?.clients,
      stage: () => view.stage.text,
      metrics: startMetrics(view.stage),
    });
    const ofClients = server.refusal;
    const ofPeers = await peersRefusal(options);
    const value: Starting = {
      checkPorts() {
        const refusal = ofClients ?? ofPeers;
        if (refusal === undefined) return;
        view.stage.begin(ofClients === undefined ? PEERS_TITLE : CLIENTS_TITLE);
        throw refusal;
      },
      close: () => server.close(),
    };
    return { value, close: () => server.close() };
  },
});

async function peersRefusal(options: NodeOptions): Promise<ChainError | undefined> {
  const wanted = options['p2p-endpoint'];
  if (wanted === undefined || !options['p2p-accept-incoming']) return undefined;
  try {
    await checkTcpListens(endpoint.format(wanted));
    return undefined;
  } catch (error) {
    if (error instanceof ChainError) return error;
    throw error;
  }
}
