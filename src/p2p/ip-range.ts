import { type IpText, ipToNumber } from './wire/endpoint.js';

/** What an address says of itself: where it lies, and who its neighbours are. */

type Range = readonly [first: IpText, bits: number];

const LOOPBACK: readonly Range[] = [['127.0.0.0', 8]];
const PRIVATE: readonly Range[] = [
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['100.64.0.0', 10],
  ['169.254.0.0', 16],
];
/** Nobody can be reached there. */
const UNUSABLE: readonly Range[] = [
  ['0.0.0.0', 8],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
];

const isIn = (ip: number, ranges: readonly Range[]): boolean =>
  ranges.some(([first, bits]) => prefix(ip, bits) === prefix(ipToNumber(first), bits));

const prefix = (ip: number, bits: number): number => Math.floor(ip / 2 ** (32 - bits));

export type IpKind = 'public' | 'private' | 'loopback' | 'unusable';

export function ipKind(ip: IpText): IpKind {
  const number = ipToNumber(ip);
  if (isIn(number, LOOPBACK)) return 'loopback';
  if (isIn(number, PRIVATE)) return 'private';
  return isIn(number, UNUSABLE) ? 'unusable' : 'public';
}

/** Whether anybody could dial it from where this node stands. */
export function isDialable(
  { ip, port }: { readonly ip: IpText; readonly port: number },
  allowPrivate: boolean,
): boolean {
  const kind = ipKind(ip);
  return port !== 0 && (kind === 'public' || (allowPrivate && kind !== 'unusable'));
}

/** The 256 addresses around it: usually one owner. */
export const neighbourhood24 = (ip: IpText): string => ip.split('.').slice(0, 3).join('.');
/** The 65,536 addresses around it: usually one provider. */
export const neighbourhood16 = (ip: IpText): string => ip.split('.').slice(0, 2).join('.');
