// Three blocks as they come, with the typed client of this package: node docs/examples/watch-blocks.mjs
import { connect } from 'trustnode/client';

const [, url = 'http://127.0.0.1:8090'] = process.argv.slice(2);
const node = await connect(url.replace('http', 'ws'));
let [asked, shown] = [0, 0];
const cb = node.connection.subscribe(async (id) => {
  // Blocks may come faster than answers, and who closes the connection gets none any more.
  if (asked++ >= 3) return;
  const { head_block_number, last_irreversible_block_num } = await node.database.get_dynamic_global_properties();
  console.log(`block ${id}: number ${head_block_number}, irreversible up to ${last_irreversible_block_num}`);
  if (++shown === 3) node.connection.close();
});
await node.database.set_block_applied_callback({ cb });
