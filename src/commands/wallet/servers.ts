import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { fail } from '../../base/errors.js';
import type { Logger } from '../../base/world.js';
import type { RunningTransport } from '../../http/transport.js';
import { systemClock } from '../../node/runtime/clock.js';
import { type Run, type ServerRules, serveWallet } from '../../wallet/server.js';
import { WALLET_COMMAND_ERRORS } from './errors.js';
import type { WalletOptions } from './options.js';

function checkPem(file: string): string {
  let pem: Buffer;
  try {
    pem = readFileSync(file);
  } catch {
    fail(WALLET_COMMAND_ERRORS.wallet_tls_missing, { file });
  }
  try {
    createSecureContext({ key: pem, cert: pem });
  } catch {
    // What the library says of it repeats what it found in the file.
    fail(WALLET_COMMAND_ERRORS.wallet_tls_form, { file });
  }
  return file;
}

/** Those that the options ask for. When one cannot listen, none does. */
export async function startServers(options: WalletOptions, run: Run, log: Logger): Promise<RunningTransport[]> {
  const rules: ServerRules = {
    allow: options.allow.length === 0 ? undefined : new Set(options.allow),
    user: options['http-user'],
    password: options['http-password'],
    origins: options.origin,
    hostNames: options['host-name'],
  };
  const world = { clock: systemClock, log };
  const running: RunningTransport[] = [];
  try {
    const plain = options['rpc-endpoint'];
    if (plain !== undefined) {
      running.push(await serveWallet({ ...plain, tls: undefined, form: 'rpc' }, rules, run, world));
    }
    const secure = options['rpc-tls-endpoint'];
    if (secure !== undefined) {
      const tls = { pem: checkPem(options['rpc-tls-certificate']), password: '' };
      running.push(await serveWallet({ ...secure, tls, form: 'rpc' }, rules, run, world));
    }
    const http = options['rpc-http-endpoint'];
    if (http !== undefined) {
      running.push(await serveWallet({ ...http, tls: undefined, form: 'http' }, rules, run, world));
    }
  } catch (error) {
    for (const server of running) await server.close();
    throw error;
  }
  return running;
}
