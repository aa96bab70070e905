import { defineErrors, fail } from '../../base/errors.js';
import { text, u16, u32 } from '../../codec/scalars.js';
import type { Type } from '../../codec/type.js';

export const ENDPOINT_ERRORS = defineErrors({
  endpoint_invalid: { text: '${text} is not of the form a.b.c.d:port' },
});

/** IPv4 in its dotted form: there is no other address in this protocol. */
export type IpText = string;
/** `a.b.c.d:port`. */
export type EndpointText = string;

const NO_IP: IpText = '0.0.0.0';
export const NO_ENDPOINT: EndpointText = '0.0.0.0:0';

export function ipToNumber(ip: IpText): number {
  const number = parseIp(ip);
  return number ?? fail(ENDPOINT_ERRORS.endpoint_invalid, { text: ip });
}

/** Undefined where the text is none. */
export function parseIp(ip: string): number | undefined {
  if (!/^\d{1,3}(?:\.\d{1,3}){3}$/.test(ip)) return undefined;
  let number = 0;
  for (const part of ip.split('.')) {
    const byte = Number(part);
    if (byte > 255) return undefined;
    number = number * 256 + byte;
  }
  return number;
}

function ipFromNumber(number: number): IpText {
  return `${number >>> 24}.${(number >>> 16) & 255}.${(number >>> 8) & 255}.${number & 255}`;
}

export interface IpAndPort {
  readonly ip: IpText;
  readonly port: number;
}

export function endpointOf(ip: IpText, port: number): EndpointText {
  return `${ip}:${port}`;
}

/** Undefined where the text is none. */
export function parseEndpoint(endpoint: string): IpAndPort | undefined {
  const at = endpoint.lastIndexOf(':');
  const [ip, portText] = [endpoint.slice(0, at), endpoint.slice(at + 1)];
  const port = /^\d{1,5}$/.test(portText) ? Number(portText) : Number.NaN;
  return parseIp(ip) === undefined || !(port <= 65_535) ? undefined : { ip, port };
}

export function splitEndpoint(endpoint: EndpointText): IpAndPort {
  return parseEndpoint(endpoint) ?? fail(ENDPOINT_ERRORS.endpoint_invalid, { text: endpoint });
}

/** a·2^24 + b·2^16 + c·2^8 + d, little-endian as every number. */
export const ip: Type<IpText> = {
  ...text,
  name: 'ip',
  bytesMin: u32.bytesMin,
  depth: u32.depth,
  read: (reader) => ipFromNumber(reader.u32()),
  pass: u32.pass,
  write: (writer, value) => writer.u32(ipToNumber(value)),
  default: () => NO_IP,
};

export const endpoint: Type<EndpointText> = {
  ...text,
  name: 'endpoint',
  bytesMin: u32.bytesMin + u16.bytesMin,
  depth: u32.depth,
  read: (reader) => endpointOf(ipFromNumber(reader.u32()), reader.u16()),
  pass: (reader) => reader.pass(u32.bytesMin + u16.bytesMin),
  write: (writer, value) => {
    const { ip: address, port } = splitEndpoint(value);
    writer.u32(ipToNumber(address));
    writer.u16(port);
  },
  default: () => NO_ENDPOINT,
};
