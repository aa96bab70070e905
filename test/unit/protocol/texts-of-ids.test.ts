import t from 'tap';
import { accountId, ID_ERRORS, objectId, packObjectId } from '../../../src/protocol/ids.js';
import { makeVoteId, VOTE_ERRORS, voteId } from '../../../src/protocol/vote.js';
import { refused } from '../../support/refused.js';

t.test('ids of objects', async (t) => {
  t.equal(accountId.fromJson('1.2.17'), 17);
  t.equal(accountId.fromJson(`1.2.${2 ** 48 - 1}`), 2 ** 48 - 1);
  t.equal(objectId.fromJson('2.255.3'), packObjectId(2, 255, 3));
  const cases = [
    [ID_ERRORS.id_text, '17'],
    [ID_ERRORS.id_text, ''],
    [ID_ERRORS.id_number, '1.2.x'],
    [ID_ERRORS.id_number, '1.2'],
    [ID_ERRORS.id_number, '1.2.3.4'],
    [ID_ERRORS.id_range, '1.2.-1'],
    [ID_ERRORS.id_range, `1.2.${2 ** 48}`],
    [ID_ERRORS.id_kind, '1.3.0'],
    [ID_ERRORS.id_kind, '2.2.0'],
  ] as const;
  for (const [row, text] of cases) refused(t, row, () => accountId.fromJson(text), `${row.key}: ${text}`);
  refused(t, ID_ERRORS.id_range, () => objectId.fromJson('256.0.0'));
  refused(t, ID_ERRORS.id_range, () => objectId.fromJson('1.256.0'));
});

t.test('ids of votes', async (t) => {
  t.equal(voteId.fromJson('255:16777215'), makeVoteId(255, 2 ** 24 - 1));
  t.equal(voteId.toJson(makeVoteId(1, 7)), '1:7');
  refused(t, VOTE_ERRORS.vote_text, () => voteId.fromJson('17'));
  for (const text of ['1:', ':7', 'a:7', '256:7', '1:16777216', '1:7:7', '-1:7']) {
    refused(t, VOTE_ERRORS.vote_number, () => voteId.fromJson(text), text);
  }
});
