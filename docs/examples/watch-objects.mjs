// Alice's money at three blocks, with the public WebSocket library: node docs/examples/watch-objects.mjs
import wallet from 'gxbjs';
import library from 'gxbjs-ws';

const [, url = 'http://127.0.0.1:8090'] = process.argv.slice(2);
const { ChainStore } = wallet;
await library.Apis.instance(url.replace('http', 'ws'), true).init_promise;
await ChainStore.init();
// The node tells of what a connection asks for after it has subscribed, which init does last.
await library.Apis.instance().db_api().exec('get_objects', [['2.1.0']]);
// The cache answers undefined until it has asked the node, then keeps what it has seen up to date.
let last = 0;
let left = 3;
ChainStore.subscribe(() => {
  // What comes first may be the account alone, without what belongs to it.
  const id = ChainStore.getAccount('alice')?.getIn(['balances', '1.3.1']);
  const balance = id && ChainStore.getObject(id);
  const head = ChainStore.getObject('2.1.0')?.get('head_block_number');
  if (!balance || !head || head === last) return;
  last = head;
  console.log(`block ${head}: alice has ${balance.get('balance') / 1e5} GXC`);
  if (--left === 0) void end();
});
ChainStore.getAccount('alice');

// The library fails when it is closed while it waits for an answer: one more question comes behind all others.
async function end() {
  await library.Apis.instance().db_api().exec('get_objects', [['2.1.0']]);
  await library.Apis.close();
}
