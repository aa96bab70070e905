import { readFileSync } from 'node:fs';
import type { Client, ClientOptions, UndiciConnection } from '@elastic/elasticsearch';
import { check } from '../../src/base/errors.js';
import { SEARCH_ERRORS } from './errors.js';
import { DEFAULT_URL, type SearchOptions } from './options.js';

const REQUEST_MS = 30_000;
const REDIRECTS = 300;
const REFUSALS = 400;

/** Refuses options that do not go together, and a certificate that cannot be read. */
export function clientOptions(options: SearchOptions): ClientOptions {
  const basic = options['searchdb-basic-auth'];
  const apiKey = options['searchdb-api-key'];
  check(basic === undefined || apiKey === undefined, SEARCH_ERRORS.search_auth_twice);
  const ca = options['searchdb-tls-ca'];
  const urls = options['searchdb-node-url'];
  return {
    nodes: urls.length === 0 ? [DEFAULT_URL] : [...urls],
    requestTimeout: REQUEST_MS,
    enableMetaHeader: false,
    ...(basic === undefined ? {} : { auth: basicAuth(basic) }),
    ...(apiKey === undefined ? {} : { auth: { apiKey } }),
    ...(ca === undefined ? {} : { tls: { ca: readFileSync(ca) } }),
  };
}

/** The library is loaded where somebody uses it: it is large. The plugin tries again by itself, for longer. */
export async function searchClient(options: SearchOptions, retries = 0): Promise<Client> {
  const settings = clientOptions(options);
  const { Client: ClientClass, UndiciConnection: UsualConnection, errors } = await import('@elastic/elasticsearch');
  /** The library takes a redirect, which it does not follow, for success with an empty answer. */
  class Connection extends UsualConnection {
    override async request(...[params, how]: Parameters<UndiciConnection['request']>): Promise<never> {
      const answer = await super.request(params, how);
      const { statusCode, headers } = answer;
      if (statusCode >= REDIRECTS && statusCode < REFUSALS) {
        const to = headers.location ?? 'nowhere';
        throw new errors.ConnectionError(`it answers with status ${statusCode} and leads to ${to}`);
      }
      return answer as never;
    }
  }
  return new ClientClass({ ...settings, maxRetries: retries, Connection });
}

/** A password may have colons; without one it is empty. */
function basicAuth(text: string): { readonly username: string; readonly password: string } {
  const at = text.indexOf(':');
  return at < 0 ? { username: text, password: '' } : { username: text.slice(0, at), password: text.slice(at + 1) };
}
