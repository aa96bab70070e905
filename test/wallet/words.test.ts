import t from 'tap';
import { runLine } from '../../src/wallet/prompt-line.js';
import { recordedCalls } from '../support/wallet-vectors.js';
import { openRecorded, recordedHistory } from './support/frozen.js';
import { promptAnswer } from './support/frozen-rules.js';

/** What was typed in the last recorded session: how words are read, line by line, on the same locked wallet. */

const history = await recordedHistory();
t.teardown(() => history.close());
const { wallet, remove } = await openRecorded('10-frozen-start.json', history.link, 1_795_294_241_000);
t.teardown(remove);

/** Lines to which ours says something else on purpose, and why. */
const OURS: Readonly<Record<string, string>> = {
  'get_account_id "nathan': 'an open quote goes on in the next line',
  'get_account_id "nat\\u0068an"': 'texts in quotes are JSON',
  'normalize_brain_key grüße': 'a character is one character',
  'get_hash 1e5': 'a text stays as it is typed',
  'get_hash 00012': 'a text stays as it is typed',
  'get_hash 123456789012345678901234567890': 'a number has as many digits as it has',
  'get_hash 0x10': 'a text stays as it is typed',
};

const calls = recordedCalls().filter(({ part, via }) => part === 's13' && via === 'prompt');

for (const call of calls) {
  const line = call.line ?? '';
  t.test(line, async (t) => {
    if (/^(get_tps|help)/.test(line)) return;
    const wanted = promptAnswer(call);
    const { output, refusal } = await runLine(wallet, line);
    const firsts = (text: string): string => text.split('\n').slice(0, 2).join('\n');
    const ours = OURS[line];
    if (ours !== undefined) {
      t.not(firsts(output), firsts(wanted), ours);
      return;
    }
    if (refusal === undefined) t.equal(output, wanted);
    else t.equal(firsts(output), firsts(wanted));
  });
}

t.test('none was left out', async (t) => {
  t.equal(calls.length, 52);
  t.same(
    Object.keys(OURS).filter((line) => !calls.some((call) => call.line === line)),
    [],
  );
});
