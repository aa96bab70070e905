import { isIP } from 'node:net';
import { isPublicAddress } from '../common/outside.js';

/** Names that stand for this machine or for networks of nobody else. */
const INSIDE_NAME = /(?:^|\.)(?:localhost|local|internal|intranet|lan|home\.arpa)$/;
/** What is given out of IPv6; forms of IPv4 addresses are not among them. */
const GIVEN_OUT = /^[23]/;

/** Whether an address is one that services of others can have. */
const isOutside = (address: string): boolean =>
  isPublicAddress(address) && (isIP(address) === 4 || GIVEN_OUT.test(address));

/**
 * Whether a source may be asked there: http or https, without a password, not on this machine or in a private network.
 * What a name stands for is looked at when it is asked.
 */
export function isServiceUrl(text: string, mayBePrivate: boolean): boolean {
  if (!/^https?:\/\/[^\s\\|]+$/i.test(text) || !URL.canParse(text)) return false;
  // The parser writes numbers of any form as plain addresses.
  const { hostname, username, password, hash } = new URL(text);
  if (username !== '' || password !== '' || hash !== '') return false;
  if (mayBePrivate) return true;
  const host = hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
  if (isIP(host) !== 0) return isOutside(host);
  return host.includes('.') && !INSIDE_NAME.test(host);
}
