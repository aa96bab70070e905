import { isIP } from 'node:net';
import { isInside } from '../../http/addresses.js';

/** Names that stand for this machine or for networks of nobody else. */
const INSIDE_NAME = /(?:^|\.)(?:localhost|local|internal|intranet|lan|home\.arpa)$/;
/** This network, documentation, multicast, broadcast and what is not given out. */
const NOBODYS = /^(?:0\.|192\.0\.[02]\.|198\.1[89]\.|198\.51\.100\.|203\.0\.113\.|22[4-9]\.|2[3-5]\d\.)/;

/** Whether an address is one that services of others can have. */
function isOutside(address: string): boolean {
  if (isIP(address) === 4) return !isInside(address) && !NOBODYS.test(address);
  // Multicast, what is not given out, and IPv4 addresses in another form.
  return !isInside(address) && /^[23]/.test(address) && !/^(?:2001:(?:db8|0*):|2002:)/i.test(address);
}

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
