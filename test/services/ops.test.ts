import { readFileSync } from 'node:fs';
import t from 'tap';
import { ServiceMetrics } from '../../src/services/common/service.js';
import { PROJECT_ROOT, projectPath } from '../support/paths.js';
import { sourcesOf } from '../tidy/draw-imports.js';

/** Dashboard and alert rules for the services name metrics that the services have, with labels that those have. */

/** What the functions and clauses of the query language are called, beside metrics and labels. */
const WORDS = /^(?:sum|min|max|rate|increase|histogram_quantile|by|or|up|le|job|instance)$/;

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

/** Metrics and the labels that are asked of them. */
function asked(expression: string): { readonly names: readonly string[]; readonly labels: readonly string[] } {
  const labels = [...expression.matchAll(/(?:\{|, ?)(\w+)="/g)].map(([, label = '']) => label);
  const grouped = [...expression.matchAll(/by \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(/, */));
  const bare = expression.replace(/\{[^}]*\}|\[[^\]]*\]|by \([^)]*\)/g, ' ');
  const names = (bare.match(/[a-z_]\w*/g) ?? []).filter((word) => !WORDS.test(word));
  return { names, labels: [...labels, ...grouped].filter((label) => !WORDS.test(label)) };
}

const known = declared();
const usual = new Set((await new ServiceMetrics().registry.getMetricsAsJSON()).map(({ name }) => name));

function expressions(): string[] {
  const dashboard = JSON.parse(readFileSync(projectPath('ops/services-dashboard.json'), 'utf8')) as {
    readonly panels: readonly { readonly targets: readonly { readonly expr: string }[] }[];
  };
  const rules = readFileSync(projectPath('ops/services-alerts.yml'), 'utf8');
  return [
    ...dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
    ...[...rules.matchAll(/^ +expr: (.+)$/gm)].map(([, expr = '']) => expr),
  ];
}

t.test('dashboard and alerts name what there is', async (t) => {
  t.ok(known.length >= 12 && usual.size > 10, 'the metrics were found');
  const all = expressions();
  t.ok(all.length >= 20);
  for (const expression of all) {
    const { names, labels } = asked(expression);
    const metrics = names.map((name) => name.replace(/_(?:bucket|sum|count)$/, ''));
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
