import { Gauge } from 'prom-client';
import t from 'tap';
import { ServiceMetrics } from '../../src/services/common/service.js';
import { PROJECT_ROOT } from '../support/paths.js';
import { asked, expressions, metricOf } from '../support/prometheus.js';
import { sourcesOf } from '../tidy/draw-imports.js';

/** Dashboard and alert rules for the services name metrics that the services have, with labels that those have. */

interface Known {
  readonly name: string;
  readonly labels: readonly string[];
}

function declared(): Known[] {
  return sourcesOf(PROJECT_ROOT, 'src/services').flatMap(({ text }) =>
    [...text.matchAll(/new (?:Gauge|Counter|Histogram)(?:<[^>]*>)?\(\{(.*?)\bregisters/gs)].map(([, body = '']) => ({
      name: /name: '(\w+)'/.exec(body)?.[1] ?? '',
      labels: [...(/labelNames: \[([^\]]*)\]/.exec(body)?.[1]?.matchAll(/'(\w+)'/g) ?? [])].map(
        ([, label = '']) => label,
      ),
    })),
  );
}

const known = declared();
const usual = new Set((await new ServiceMetrics().registry.getMetricsAsJSON()).map(({ name }) => name));

t.test('dashboard and alerts name what there is', async (t) => {
  t.ok(known.length >= 12 && usual.size > 10, 'the metrics were found');
  for (const name of [...usual, ...known.map((one) => one.name)]) {
    t.match(name, /^(?:trustnode|process|nodejs)_/, 'one prefix');
    t.notMatch(name, /_(?:ms|us|kb|mb|percent)(?:_|$)/, 'base units');
  }
  const all = expressions('services-dashboard.json', 'services-alerts.yml');
  t.ok(all.length >= 20);
  for (const expression of all) {
    const { names, labels } = asked(expression);
    const metrics = names.map(metricOf);
    for (const [i, name] of metrics.entries()) {
      const isThere = usual.has(name) || known.some((one) => one.name === name);
      t.ok(isThere, `${names[i]} of ${expression}`);
    }
    for (const label of labels) {
      const isThere = known.some((one) => metrics.includes(one.name) && one.labels.includes(label));
      t.ok(isThere, `${label} of ${expression}`);
    }
  }
});

t.test('what cannot be told, or not in time, is left out, and all others are told', async (t) => {
  const { registry } = new ServiceMetrics();
  let isAway = false;
  const gauge = (name: string, collect: (this: Gauge) => void | Promise<void>): void =>
    void new Gauge({ name, help: name, registers: [registry], collect });
  gauge('trustnode_good', function () {
    this.set(1);
  });
  gauge('trustnode_throws', () => {
    throw new Error('no');
  });
  gauge('trustnode_fails', async function () {
    if (isAway) throw new Error('the database does not answer');
    this.set(2);
  });
  gauge('trustnode_late', function () {
    this.set(3);
    return isAway ? new Promise(() => undefined) : undefined;
  });
  const told = async (): Promise<string[]> =>
    (await registry.metrics()).match(/^trustnode_(?!service)\w+ \d+$/gm) ?? [];
  t.same(await told(), ['trustnode_good 1', 'trustnode_fails 2', 'trustnode_late 3']);
  isAway = true;
  t.same(await told(), ['trustnode_good 1'], 'nothing that was true before');
});
