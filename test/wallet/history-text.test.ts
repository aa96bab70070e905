import t from 'tap';
import { readMemo } from '../../src/client/memos.js';
import type { Json, JsonObject } from '../../src/codec/json.js';
import { operation } from '../../src/protocol/operation-slot.js';
import { operationResult } from '../../src/protocol/results.js';
import { Describer } from '../../src/wallet/text/operations.js';
import { NETWORK } from '../support/network.js';
import { recordedCalls } from '../support/wallet-vectors.js';
import { linkTo, openRecorded, recordedChain } from './support/frozen.js';

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
