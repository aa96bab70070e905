import t from 'tap';
import { type Burden, countBurden } from '../../../src/operations/burdens.js';
import type { Operation } from '../../../src/protocol/operation-slot.js';
import { changed, changedJson } from '../../support/changed-operation.js';

const BURDENS: readonly Burden[] = ['commitments', 'heldSignatures', 'leagueMembers'];
const countAll = (...operations: Operation[]) => BURDENS.map((burden) => countBurden(burden, operations));

const signature = '00'.repeat(65);
const request = { 'request_params.signatures': [signature, signature] };
const league = { members: ['1.2.6', '1.2.7', '1.2.8'] };

t.test('what operations burden a node with, and those in proposals too', async (t) => {
  t.same(countAll(), [0, 0, 0]);
  t.same(countAll(changed(0, {})), [0, 0, 0]);
  t.same(countAll(changed(73, request)), [0, 2, 0]);
  t.same(countAll(changed(67, league), changed(67, league), changed(73, request)), [0, 2, 6]);
  t.same(countAll(changed(68, { new_members: ['1.2.6'] }), changed(68, { new_members: null })), [0, 0, 1]);
  t.same(countAll(changed(39, { outputs: [{}, {}] })), [2, 0, 0]);
  t.same(countAll(changed(40, { inputs: [{}], outputs: [{}, {}] })), [3, 0, 0]);
  t.same(countAll(changed(41, { inputs: [{}, {}] })), [2, 0, 0]);
  const proposed_ops = [{ op: [73, changedJson(73, request)] }, { op: [67, changedJson(67, league)] }];
  t.same(countAll(changed(22, { proposed_ops }), changed(73, request)), [0, 4, 3]);
});
