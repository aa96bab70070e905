import { lookup } from 'node:dns/promises';
import { endpoint } from '../../config/define.js';
import { type EndpointText, endpointOf, parseIp } from '../../p2p/wire/endpoint.js';

/** `host:port` with the host's IPv4 address; undefined where it has none that is known now. */
export async function resolveEndpoint(text: string): Promise<EndpointText | undefined> {
  const parts = endpoint.parse(text);
  if (parts === undefined) return undefined;
  if (parseIp(parts.host) !== undefined) return endpointOf(parts.host, parts.port);
  try {
    const { address } = await lookup(parts.host, { family: 4 });
    return endpointOf(address, parts.port);
  } catch {
    // Whatever the reason, there is no address; the caller says so.
    return undefined;
  }
}
