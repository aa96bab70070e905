// Who makes the blocks, and who has missed some: node docs/examples/witnesses.mjs
import { openClient } from 'trustnode/client';

const [, url = 'http://127.0.0.1:8090'] = process.argv.slice(2);
const { database } = await openClient(url);
const { active_witnesses: ids } = await database.get_global_properties();
const witnesses = await database.get_witnesses({ ids });
const owners = await database.get_accounts({ ids: witnesses.map((one) => one.witness_account) });
const { head_block_number: head } = await database.get_dynamic_global_properties();
for (const [i, { id, total_missed, last_confirmed_block_num, total_votes }] of witnesses.entries()) {
  const behind = head - last_confirmed_block_num;
  console.log(`${id} ${owners[i].name}: ${total_missed} missed, last block ${behind} ago, ${total_votes} votes`);
}
