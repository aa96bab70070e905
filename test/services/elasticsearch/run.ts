import { parseArgs } from 'node:util';
import { tellLostWork } from '../../runner/lost-work.js';
import { ElasticServer, startCluster } from './elastic.js';
import { cannotStartElastic } from './tools.js';

/** `npm run elastic -- [--port 9200] [--nodes 3] [--heap 512]`: a real server to play with, until Ctrl-C. */

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '9200' },
    nodes: { type: 'string', default: '1' },
    heap: { type: 'string', default: '512' },
  },
});
if (cannotStartElastic !== false) throw new Error(cannotStartElastic);
tellLostWork();
const nodes = Number(values.nodes);
const heapMb = Number(values.heap);
const servers: ElasticServer[] =
  nodes === 1
    ? [await ElasticServer.start({ port: Number(values.port), heapMb })]
    : await startCluster(nodes, { heapMb });
process.stdout.write(`${servers.map(({ url }) => url).join('\n')}\nCtrl-C ends it and removes its data.\n`);
const end = async (): Promise<void> => {
  await Promise.all(servers.map((server) => server.remove()));
};
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => void end());
