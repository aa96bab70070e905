import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ErrorRow } from '../../src/base/errors.js';
import { systemClock } from '../../src/node/runtime/clock.js';
import { restore } from '../../src/services/common/database.js';
import { DATABASE_ERRORS } from '../../src/services/common/database-errors.js';
import { carrierOf, MAIL_ERRORS } from '../../src/services/mail/carrier.js';
import type { MailOptions } from '../../src/services/mail/options.js';
import { MARKET_ERRORS } from '../../src/services/market/errors.js';
import { readLogo } from '../../src/services/market/logo.js';
import { assertion, type Refusal } from './define.js';

/** Refusals of the market that need no chain; the others are met in services/market. */

const folder = mkdtempSync(join(tmpdir(), 'trustnode-market-refusals-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
const there = join(folder, 'there.db');
writeFileSync(there, '');

function coded(row: ErrorRow, code: number, name: string, text: string, raise: () => unknown): Refusal {
  return { row, code, name, message: `${name}: ${text}`, raise };
}

function mail(row: ErrorRow, text: string, more: Partial<MailOptions>): Refusal {
  const options = { 'mail-from': 'market@exchange.example', 'smtp-file': undefined, 'mail-folder': undefined, ...more };
  const message = `Invalid Argument: ${text}`;
  return { row, code: 5, name: 'invalid_arg_exception', message, raise: () => carrierOf(options, systemClock) };
}

export const refusals: readonly Refusal[] = [
  coded(MARKET_ERRORS.market_size, 1011, 'LOGO_INVALID', 'logoImgBase64: it is no base64', () =>
    readLogo('?', { 'logo-bytes-max': 100, 'logo-pixels-max': 100 }),
  ),
  mail(MAIL_ERRORS.mail_smtp, 'the SMTP server has to be given as smtp:// or smtps:// URL', { 'smtp-file': there }),
  mail(MAIL_ERRORS.mail_options, 'e-mail needs the option mail-from and one of smtp-file and mail-folder', {}),
  mail(MAIL_ERRORS.mail_file, `cannot read the file ${folder}/none: ENOENT`, { 'smtp-file': join(folder, 'none') }),
  assertion(DATABASE_ERRORS.database_exists, `there is ${there} already: move it away first`, () =>
    restore('copy.db', there),
  ),
];
