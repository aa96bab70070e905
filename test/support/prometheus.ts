import { readFileSync } from 'node:fs';
import { projectPath } from './paths.js';

/** What the functions and clauses of the query language are called, beside metrics and labels. */
const WORDS = /^(?:sum|min|max|abs|rate|delta|increase|histogram_quantile|by|or|up|le|job|instance)$/;

export interface Asked {
  readonly names: readonly string[];
  readonly labels: readonly string[];
}

/** Metrics and the labels that are asked of them. */
export function asked(expression: string): Asked {
  const labels = [...expression.matchAll(/(?:\{|, ?)(\w+)=~?"/g)].map(([, label = '']) => label);
  const grouped = [...expression.matchAll(/by \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(/, */));
  const bare = expression.replace(/\{[^}]*\}|\[[^\]]*\]|by \([^)]*\)/g, ' ');
  const names = (bare.match(/[a-z_]\w*/g) ?? []).filter((word) => !WORDS.test(word));
  return { names, labels: [...labels, ...grouped].filter((label) => !WORDS.test(label)) };
}

/** A metric without what a histogram puts behind its name. */
export const metricOf = (name: string): string => name.replace(/_(?:bucket|sum|count)$/, '');

/** All expressions of a dashboard and of a file of rules in `ops`. */
export function expressions(dashboardFile: string, rulesFile: string): string[] {
  const dashboard = JSON.parse(readFileSync(projectPath('ops', dashboardFile), 'utf8')) as {
    readonly panels: readonly { readonly targets: readonly { readonly expr: string }[] }[];
  };
  const rules = readFileSync(projectPath('ops', rulesFile), 'utf8');
  return [
    ...dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
    ...[...rules.matchAll(/^ +expr: (.+)$/gm)].map(([, expr = '']) => expr),
  ];
}
