import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import t from 'tap';
import { type JsonObject, parseJson } from '../../src/codec/json.js';
import { projectPath } from '../support/paths.js';
import { recordedHistory } from './support/golden-history.js';
import { askable } from './support/golden-rpc.js';
import { compare, DEVIATIONS } from './support/golden-rules.js';

interface Pair {
  readonly transport: string;
  readonly request: string;
  readonly response: string;
}

const recorded = readFileSync(projectPath('test/vectors/golden/main/rpc.jsonl.gz'));
const pairs = gunzipSync(recorded)
  .toString('utf8')
  .trim()
  .split('\n')
  .map((line) => parseJson(line) as unknown as Pair);

t.test('every recorded pair has the recorded answer', async (t) => {
  const recorded = await recordedHistory();
  t.teardown(() => recorded.close());
  const { ports, apis } = recorded;
  const rpc = askable(ports, {}, apis);
  const counts = { equal: 0, deviating: 0 };
  const usedDeviations = new Set<string>();
  for (const [index, pair] of pairs.entries()) {
    const label = `${index} ${pair.transport} ${pair.request.slice(0, 160)}`;
    const actual = (await rpc.ask(pair.transport, pair.request)) ?? '';
    const deviation = DEVIATIONS.find(({ match }) => match(pair.request, index));
    if (deviation !== undefined) {
      usedDeviations.add(deviation.name);
      counts.deviating++;
      // A listed deviation must still say what we answer instead.
      if (!deviation.accept(actual, pair.response)) t.fail(`${deviation.name}: ${label}`, { actual });
      continue;
    }
    const difference = compare(actual, pair.response);
    if (difference === undefined) counts.equal++;
    else t.fail(label, { difference });
  }
  for (const { name } of DEVIATIONS) t.ok(usedDeviations.has(name), `${name} still occurs`);
  t.comment(JSON.stringify(counts));
  t.equal(counts.equal + counts.deviating, pairs.length);
});

t.test('the comparison sees a wrong answer', async (t) => {
  const [first] = pairs as [Pair];
  t.equal(compare(first.response, first.response), undefined);
  const changed = JSON.parse(first.response) as JsonObject;
  (changed.result as JsonObject).chain_id = '00';
  t.ok(compare(JSON.stringify(changed), first.response));
});
