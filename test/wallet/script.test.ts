import t from 'tap';
import { RpcError } from '../../src/client/connection.js';
import { runScript } from '../../src/commands/wallet/script.js';
import { type NodeLink, nodeError } from '../../src/wallet/node-link.js';
import { linkTo, openRecorded, recordedChain } from './support/frozen.js';

/** Commands that nobody sits in front of. */

t.test('a node that refuses to tell what became of one transaction does not end the script', async (t) => {
  const node = linkTo(recordedChain());
  let isTold = true;
  const link: NodeLink = {
    call: (api, method, params) => {
      if (api === 'network_broadcast') isTold = false;
      if (!isTold && method === 'get_block')
        return Promise.reject(nodeError(new RpcError({ message: 'no blocks here' })));
      return node.call(api, method, params);
    },
  };
  const { wallet, remove } = await openRecorded('10-frozen-start.json', link, 1_795_293_900_000);
  t.teardown(remove);
  const out: string[] = [];
  const err: string[] = [];
  const terminal = {
    isTTY: false,
    columns: undefined,
    exitCode: 0,
    out: (text: string) => void out.push(text),
    err: (text: string) => void err.push(text),
    input: () => new Uint8Array(),
  };
  const lines = ['unlock supersecret', 'transfer2 alice bob 1 GXS ""', 'is_locked'];
  const isRefused = await runScript(lines, wallet, terminal, 'block', () => undefined);
  t.equal(isRefused, true, 'that it is not known is no success');
  t.match(err.join(''), /no blocks here/);
  t.match(out.join(''), /false\n$/, 'and the next line has run');
});
