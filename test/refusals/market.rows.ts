import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ErrorRow } from '../../src/base/errors.js';
import { DATABASE_ERRORS, restore } from '../../src/services/common/database.js';
import { MARKET_ERRORS } from '../../src/services/market/errors.js';
import { readLogo } from '../../src/services/market/logo.js';
import { smtpCarrier } from '../../src/services/market/mail/carrier.js';
import { assertion, type Refusal } from './define.js';

/** Refusals of the market that need no chain; the others are met in services/market. */

const folder = mkdtempSync(join(tmpdir(), 'trustnode-market-refusals-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
const there = join(folder, 'there.db');
writeFileSync(there, '');

function coded(row: ErrorRow, code: number, name: string, text: string, raise: () => unknown): Refusal {
  return { row, code, name, message: `${name}: ${text}`, raise };
}

export const refusals: readonly Refusal[] = [
  coded(MARKET_ERRORS.market_size, 1011, 'LOGO_INVALID', 'logoImgBase64: it is no base64', () =>
    readLogo('?', { 'logo-bytes-max': 100, 'logo-pixels-max': 100 }),
  ),
  {
    row: MARKET_ERRORS.market_smtp,
    code: 5,
    name: 'invalid_arg_exception',
    message: 'Invalid Argument: the SMTP server has to be given as smtp:// or smtps:// URL',
    raise: () => smtpCarrier('http://mail.example'),
  },
  assertion(DATABASE_ERRORS.database_exists, `there is ${there} already: move it away first`, () =>
    restore('copy.db', there),
  ),
];
