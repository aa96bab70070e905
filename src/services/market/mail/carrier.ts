import { mkdirSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { check } from '../../../base/errors.js';
import { MARKET_ERRORS } from '../errors.js';

/** What brings an e-mail away: an SMTP server, or a folder. */

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

/** `url` may have a password in it, and is in no message. */
export function smtpCarrier(url: string): Carrier {
  const isUrl = /^smtps?:\/\/\S+$/.test(url) && URL.canParse(url);
  check(isUrl, MARKET_ERRORS.market_smtp);
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
      await transport.sendMail({ messageId: id, from, to: { name: '', address: to }, subject, text });
    },
    close: () => transport.close(),
  };
}

/** A password goes over a wire that others may hear only when it is hidden. */
const isLocal = (host: string): boolean => /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(host);

export function folderCarrier(folder: string): Carrier {
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
