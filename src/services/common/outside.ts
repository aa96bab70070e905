import { lookup as resolveName } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { ChainError, check, defineErrors } from '../../base/errors.js';
import { AddressSet } from '../../http/addresses.js';

/** Addresses that others have named and that a service is to call: never ones that only the inside can reach. */

export const OUTSIDE_ERRORS = defineErrors({
  outside_url: { text: 'it has to be a whole URL of http or https, without a user name' },
  outside_private: { text: '${host} is an address of this machine, of a private network, or of no host' },
});

/** All that no public host has; mapped and translated forms of IPv4 included. */
const INSIDE = new AddressSet([
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
  '::/96',
  '::ffff:0:0:0/96',
  '64:ff9b::/96',
  '64:ff9b:1::/48',
  '100::/64',
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '3fff::/20',
  '5f00::/16',
  'fc00::/7',
  'fe80::/10',
  'fec0::/10',
  'ff00::/8',
]);

export const isPublicAddress = (address: string): boolean => isIP(address) !== 0 && !INSIDE.has(address);

/** As `URL` writes the host: numbers of other bases have become addresses, IPv6 stands in brackets. */
export function checkOutside(text: string, allowPrivate: boolean): URL {
  check(URL.canParse(text), OUTSIDE_ERRORS.outside_url);
  const url = new URL(text);
  const fits = /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
  check(fits, OUTSIDE_ERRORS.outside_url);
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const isFine = allowPrivate || isIP(host) === 0 || isPublicAddress(host);
  check(isFine, OUTSIDE_ERRORS.outside_private, { host });
  return url;
}

/**
 * Finds the addresses of a name for a connection. What is checked is what is connected to: no second question to the name
 * server can give another answer.
 */
export const outsideLookup =
  (allowPrivate: boolean): LookupFunction =>
  (host, options, done) => {
    resolveName(host, { ...options, all: true }, (error, found) => {
      if (error !== null) {
        done(error, []);
        return;
      }
      const bad = allowPrivate ? undefined : found.find(({ address }) => !isPublicAddress(address));
      if (bad !== undefined || found.length === 0) {
        const { message } = new ChainError(OUTSIDE_ERRORS.outside_private, { host });
        done(new Error(message), []);
        return;
      }
      if (options.all === true) done(null, found);
      else done(null, (found[0] as { address: string }).address, found[0]?.family);
    });
  };
