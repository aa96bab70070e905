import { BlockList, isIP, isIPv4 } from 'node:net';

/** Addresses of machines as sockets, headers and options write them. */

const MAPPED = /^(?:::ffff:|(?:0{1,4}:){5}ffff:)/i;

/** An IPv4 address that came over an IPv6 socket as what it is. */
function plain(address: string): string {
  const rest = address.replace(MAPPED, '');
  if (rest === address || isIPv4(rest)) return rest;
  const words = rest.split(':').map((word) => Number.parseInt(word, 16));
  if (words.length !== 2) return address;
  const [high, low] = words as [number, number];
  return [high >> 8, high & 0xff, low >> 8, low & 0xff].join('.');
}

const WORDS = 8;
/** A customer is given at least a network of 64 bits, and has as many addresses as he likes. */
const WORDS_OF_ONE = 4;

/** What limits count as one: an IPv4 address, or the IPv6 network that one customer has. */
export function countedAs(address: string): string {
  if (isIPv4(address)) return address;
  const one = plain(address);
  if (isIP(one) !== 6) return one;
  const [head = [], tail = []] = one
    .replace(/%.*$/, '')
    .split('::')
    .map((part) => part.split(':').filter((word) => word !== ''));
  // A dotted end stands for two words.
  const tailWords = tail.length + (tail.at(-1)?.includes('.') === true ? 1 : 0);
  const zeros = Array.from({ length: Math.max(0, WORDS - head.length - tailWords) }, () => '0');
  const network = [...head, ...zeros, ...tail].slice(0, WORDS_OF_ONE);
  return `${network.map((word) => Number.parseInt(word, 16).toString(16)).join(':')}::/64`;
}

/** A set of addresses and subnets (`10.0.0.0/8`). */
export class AddressSet {
  readonly #list = new BlockList();

  constructor(entries: readonly string[]) {
    for (const entry of entries) this.#add(entry);
  }

  /** Undefined where the text is neither an address nor a subnet. */
  static check(entry: string): string | undefined {
    const [address, bits] = entry.split('/') as [string, string | undefined];
    const widest = isIP(address) === 4 ? 32 : 128;
    const isSubnet = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= widest);
    return isIP(address) !== 0 && isSubnet && entry.split('/').length <= 2 ? entry : undefined;
  }

  #add(entry: string): void {
    const [address, bits] = entry.split('/') as [string, string | undefined];
    const family = isIPv4(address) ? 'ipv4' : 'ipv6';
    if (bits === undefined) this.#list.addAddress(address, family);
    else this.#list.addSubnet(address, Number(bits), family);
  }

  has(address: string): boolean {
    const one = plain(address);
    return isIP(one) !== 0 && this.#list.check(one, isIPv4(one) ? 'ipv4' : 'ipv6');
  }
}

const LOOPBACK = new AddressSet(['127.0.0.0/8', '::1']);
/** Networks that the rest of the world cannot reach. */
const PRIVATE = new AddressSet([
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '169.254.0.0/16',
  '100.64.0.0/10',
  'fc00::/7',
  'fe80::/10',
]);

export function isLoopback(address: string): boolean {
  // The list costs ten times as much, and every request asks.
  if (isIPv4(address)) return address.startsWith('127.');
  return address === 'localhost' || LOOPBACK.has(address);
}

/** Loopback or private: browsers inside can reach it, pages from outside only through them. */
export function isInside(address: string): boolean {
  return isLoopback(address) || PRIVATE.has(address);
}
