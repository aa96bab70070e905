// Whether a network is well, from outside: node docs/examples/network-health.mjs
import { openClient } from 'trustnode/client';

const [, url = 'http://127.0.0.1:8090'] = process.argv.slice(2);
const { database } = await openClient(url);
const head = await database.get_dynamic_global_properties();
const participation = (await database.get_witness_participation_rate()) / 100;
const ageSec = Math.round((Date.now() - Date.parse(`${head.time}Z`)) / 1000);
const behind = head.head_block_number - head.last_irreversible_block_num;
console.log(`block ${head.head_block_number} of ${ageSec} s ago, ${behind} not irreversible yet, ${participation} % of slots filled`);
const network = await database.get_network_status();
console.log(network === undefined ? 'no network' : `${network.connection_count} peers, ${network.blocks_behind} blocks behind them`);
// For cron and the like: 1 when somebody should look.
process.exitCode = ageSec > 60 || behind > 50 ? 1 : 0;
