import { lookup } from 'node:dns/promises';
import { endpoint } from '../../config/define.js';
import { type EndpointText, endpointOf, parseIp } from '../../p2p/wire/endpoint.js';

/** `why`: in words, where there is no address that is known now. */
export type Resolved = { readonly endpoint: EndpointText } | { readonly endpoint: undefined; readonly why: string };

/** What the system's codes mean to somebody who has mistyped a name or has no network. */
const REASONS: Readonly<Record<string, string>> = {
  ENOTFOUND: 'there is no such name, or it has no IPv4 address',
  ENODATA: 'the name has no IPv4 address',
  EAI_AGAIN: 'the name servers do not answer',
};

/** `host:port` with the host's IPv4 address. */
export async function resolveEndpoint(text: string): Promise<Resolved> {
  const parts = endpoint.parse(text);
  if (parts === undefined) return { endpoint: undefined, why: 'it is not of the form host:port' };
  if (parseIp(parts.host) !== undefined) return { endpoint: endpointOf(parts.host, parts.port) };
  try {
    const { address } = await lookup(parts.host, { family: 4 });
    return { endpoint: endpointOf(address, parts.port) };
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    return { endpoint: undefined, why: REASONS[code] ?? message };
  }
}
