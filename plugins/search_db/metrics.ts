import { Counter, Gauge, type Metric } from 'prom-client';
import type { SearchReport } from './thread.js';

export interface MetricParts {
  report(): SearchReport;
  lastNumber(): number;
}

/** Of the plugin, besides what the node tells of every follower. */
export function searchMetrics({ report, lastNumber }: MetricParts): readonly Metric[] {
  const gauge = (name: string, help: string, value: () => number): Metric =>
    new Gauge({
      name,
      help,
      registers: [],
      collect() {
        this.set(value());
      },
    });
  const counter = (name: string, help: string, value: () => number): Metric =>
    new Counter({
      name,
      help,
      registers: [],
      collect() {
        this.reset();
        this.inc(value());
      },
    });
  return [
    gauge('trustnode_search_db_up', '1 when the search database took what it was given last', () =>
      report().trouble === undefined ? 1 : 0,
    ),
    gauge(
      'trustnode_search_db_blocks_behind',
      'Blocks that the search database lacks of those that are to be in it',
      () => Math.max(0, lastNumber() - report().block),
    ),
    counter(
      'trustnode_search_db_documents_total',
      'Documents that the search database has taken',
      () => report().documents,
    ),
    counter('trustnode_search_db_requests_total', 'Bulk requests to the search database', () => report().requests),
    counter('trustnode_search_db_retries_total', 'Requests that had to be tried again', () => report().retries),
    counter(
      'trustnode_search_db_reduced_total',
      'Documents that the search database took with less in them only',
      () => report().reduced,
    ),
  ];
}
