import { mkdirSync, readFileSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { ChainError, check, defineErrors, FAMILY } from '../../base/errors.js';
import type { Clock } from '../../base/world.js';
import type { MailOptions } from './options.js';

/** What brings an e-mail away: an SMTP server, or a folder. */

export const MAIL_ERRORS = defineErrors({
  mail_options: {
    ...FAMILY.invalidArgument,
    text: 'e-mail needs the option mail-from and one of smtp-file and mail-folder',
  },
  mail_smtp: { ...FAMILY.invalidArgument, text: 'the SMTP server has to be given as smtp:// or smtps:// URL' },
  mail_file: { kind: 'environment', ...FAMILY.invalidArgument, text: 'cannot read the file ${file}: ${why}' },
});

export interface Letter {
  /** Names it for ever: a mailbox that gets it twice can tell. */
  readonly id: string;
  readonly from: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

export interface Carrier {
  send(letter: Letter): Promise<void>;
  close(): void;
}

/** The part of the library that is used here. */
interface Nodemailer {
  createTransport(options: object): { sendMail(message: object): Promise<unknown>; close(): void };
}

const TIMEOUT_MS = 20_000;
/** For a letter as a whole: leases of those who send are longer. The library limits each silence of a server alone. */
export const LETTER_MS = 45_000;

/** `url` may have a password in it, and is in no message. */
function smtpCarrier(url: string, clock: Clock): Carrier {
  const isUrl = /^smtps?:\/\/\S+$/.test(url) && URL.canParse(url);
  check(isUrl, MAIL_ERRORS.mail_smtp);
  const { protocol, hostname, port, username, password } = new URL(url);
  const isTls = protocol === 'smtps:';
  // Loaded by those alone who send mail.
  const { createTransport } = createRequire(import.meta.url)('nodemailer') as Nodemailer;
  const transport = createTransport({
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: port === '' ? (isTls ? 465 : 587) : Number(port),
    secure: isTls,
    ...(username === ''
      ? {}
      : {
          auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) },
          requireTLS: !isTls && !isLocal(hostname),
        }),
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
    // Texts of merchants stand in the mail: they name no files and no addresses to be fetched.
    disableFileAccess: true,
    disableUrlAccess: true,
    logger: false,
  });
  return {
    send: async ({ id, from, to, subject, text }) => {
      const late = new AbortController();
      const cancel = clock.after(LETTER_MS, () => late.abort());
      const { signal } = late;
      try {
        await transport.sendMail({ messageId: id, from, to: { name: '', address: to }, subject, text, signal });
      } catch (error) {
        throw signal.aborted ? new Error(`the server takes longer than ${LETTER_MS / 1000} s for a letter`) : error;
      } finally {
        cancel();
      }
    },
    close: () => transport.close(),
  };
}

/** A password goes over a wire that others may hear only when it is hidden. */
const isLocal = (host: string): boolean => /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(host);

function folderCarrier(folder: string): Carrier {
  const path = resolve(folder);
  mkdirSync(path, { recursive: true, mode: 0o700 });
  return {
    send: async ({ id, from, to, subject, text }) => {
      const name = `${id.replace(/[^\w.-]/g, '_')}.eml`;
      const head = [`Message-ID: ${id}`, `From: ${from}`, `To: ${to}`, `Subject: ${subject}`];
      const half = join(path, `.${name}`);
      await writeFile(half, `${head.join('\n')}\n\n${text}`, { mode: 0o600 });
      // Whole or not at all; the same letter again is the same file.
      await rename(half, join(path, name));
    },
    close: () => undefined,
  };
}

/** Of a service by its options; undefined: nobody is written to. */
export function carrierOf(
  options: MailOptions,
  clock: Clock,
): { readonly from: string; readonly carrier: Carrier } | undefined {
  const { 'mail-from': from, 'smtp-file': file, 'mail-folder': folder } = options;
  if (from === undefined && file === undefined && folder === undefined) return undefined;
  check(from !== undefined && (file === undefined) !== (folder === undefined), MAIL_ERRORS.mail_options);
  return { from, carrier: folder === undefined ? smtpCarrier(readSmtp(file as string), clock) : folderCarrier(folder) };
}

function readSmtp(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    throw new ChainError(MAIL_ERRORS.mail_file, { file, why: (error as NodeJS.ErrnoException).code });
  }
}
