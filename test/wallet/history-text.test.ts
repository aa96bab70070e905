import t from 'tap';
import { readMemo } from '../../src/client/memos.js';
import type { Json, JsonObject } from '../../src/codec/json.js';
import { operation } from '../../src/protocol/operation-slot.js';
import { operationResult } from '../../src/protocol/results.js';
import type { NodeLink } from '../../src/wallet/node-link.js';
import { runLine } from '../../src/wallet/prompt-line.js';
import { Describer } from '../../src/wallet/text/operations.js';
import { NETWORK } from '../support/network.js';
import { recordedCalls } from '../support/wallet-vectors.js';
import { linkTo, openRecorded, recordedChain, recordedHistory } from './support/frozen.js';

t.test('operations in words, as the reference lists them', async (t) => {
  const frozen = await openRecorded('10-frozen-start.json', linkTo(recordedChain()));
  t.teardown(frozen.remove);
  const { wallet } = frozen;
  wallet.ring.unlock('supersecret');
  const open = new Describer(wallet.chain, wallet.world.rules, (memo) =>
    readMemo(memo, (key) => wallet.ring.find(key)),
  );
  const locked = new Describer(wallet.chain, wallet.world.rules, () => undefined);
  const seen = new Set<string>();
  const kinds = new Set<number>();
  for (const { part, request, result, locked_before } of recordedCalls()) {
    if (part !== 's12-frozen' || !request?.method.includes('_history') || !request.method.startsWith('get_')) continue;
    const listed = (Array.isArray(result) ? result : ((result as JsonObject)?.details ?? [])) as JsonObject[];
    for (const { memo, description, op } of listed) {
      const { id, op: given, result: outcome } = op as JsonObject;
      const key = `${id} ${locked_before}`;
      if (seen.has(key)) continue;
      seen.add(key);
      const body = operation.fromJson(given as Json, NETWORK);
      kinds.add(body[0]);
      const found = await (locked_before === true ? locked : open).describe(
        body,
        operationResult.fromJson(outcome as Json),
      );
      t.same(found, { memo, description }, key);
    }
  }
  t.ok(seen.size > 200, `${seen.size} operations of ${kinds.size} kinds`);
  t.comment(`${seen.size} operations of ${kinds.size} kinds`);
});

t.test('what others have written moves no cursor and begins no line', async (t) => {
  const history = await recordedHistory();
  t.teardown(() => history.close());
  const text = 'paid\u001b[2J\u009b1A\u0007\r\n2026-11-21T20:44:27 Transfer 9 GXC\n   (Fee: 1 GXC)\n2026\u202e\u2028';
  // Anybody can write a plain memo to anybody.
  const nobody = 'GXC1111111111111111111111111111111114T1Anm';
  const memo = { from: nobody, to: nobody, nonce: 0, message: `00000000${Buffer.from(text).toString('hex')}` };
  const hostile: NodeLink = {
    call: async (api, method, params) => {
      const answer = await history.link.call(api, method, params);
      if (method !== 'get_account_history') return answer;
      const [first] = answer as JsonObject[];
      const transfer = { ...first, op: [0, { from: '1.2.6', to: '1.2.7', memo }], result: [0, {}] };
      return [transfer as JsonObject];
    },
  };
  const { wallet, remove } = await openRecorded('10-frozen-start.json', hostile);
  t.teardown(remove);
  wallet.ring.unlock('supersecret');
  const shown = (await runLine(wallet, 'get_account_history alice 1')).output;
  t.notMatch(shown, /[^\P{Cc}\n]/u);
  t.match(shown, 'paid\\u001b[2J\\u009b1A\\u0007\\u000d\n    2026-11-21T20:44:27 Transfer 9 GXC\n');
  t.match(shown, '\n    2026\\u202e\\u2028   (Fee: ');
  t.equal(shown.match(/^\S/gm)?.length, 1, 'one operation, one line that begins like one');
  const { output, refusal } = await runLine(wallet, `get_account "${'\\u001b'}]52;c;eA=="`);
  t.ok(refusal);
  t.notMatch(output, /[^\P{Cc}\n]/u, 'nor does a refusal');
});
