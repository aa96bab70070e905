import { Counter, Gauge, type Metric } from 'prom-client';
import type { SearchDatabase } from './database.js';

export interface MetricParts {
  readonly database: SearchDatabase;
  lastNumber(): number;
}

/** Of the plugin, besides what the node tells of every follower. */
export function searchMetrics({ database, lastNumber }: MetricParts): readonly Metric[] {
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
  const { bulk, retry } = database;
  return [
    gauge('search_db_up', '1 when the search database took what it was given last', () =>
      retry.trouble === undefined ? 1 : 0,
    ),
    gauge('search_db_blocks_behind', 'Blocks that the search database lacks of those that are to be in it', () =>
      Math.max(0, lastNumber() - database.cursor.place.number),
    ),
    counter('search_db_documents_total', 'Documents that the search database has taken', () => bulk.counts.documents),
    counter('search_db_requests_total', 'Bulk requests to the search database', () => bulk.counts.requests),
    counter('search_db_retries_total', 'Requests that had to be tried again', () => retry.count),
    counter(
      'search_db_reduced_total',
      'Documents that the search database took with less in them only',
      () => bulk.counts.reduced,
    ),
  ];
}
