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
