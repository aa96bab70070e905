import { ElasticServer } from './elastic.js';
import { GIVEN_URL } from './tools.js';

export interface TestElastic {
  readonly url: string;
  /** A beginning for names of indexes that nobody else uses. */
  prefix(): string;
  end(): Promise<void>;
}

let prefixes = 0;
/** A server that is given may be there for others too. */
const prefix = (): string => `t${process.pid}x${Date.now() % 1_000_000}n${prefixes++}-`;

/** A server for a test file: the one that is given, or one of its own. */
export async function testElastic(): Promise<TestElastic> {
  if (GIVEN_URL !== undefined) return { url: GIVEN_URL, prefix, end: async () => undefined };
  const server = await ElasticServer.start();
  return { url: server.url, prefix, end: () => server.remove() };
}
