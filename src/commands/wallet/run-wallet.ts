import { join, resolve } from 'node:path';
import { check } from '../../base/errors.js';
import type { Logger } from '../../base/world.js';
import { systemClock } from '../../node/runtime/clock.js';
import { VERSION } from '../../node/runtime/project.js';
import { systemRandom } from '../../node/runtime/random.js';
import { COMMANDS, runCommand } from '../../wallet/commands/index.js';
import { NODE_ERRORS } from '../../wallet/errors.js';
import { networkOfText, parseWalletFile, walletFileText } from '../../wallet/file/wallet-file.js';
import { IdleLock } from '../../wallet/idle-lock.js';
import { NodeSession } from '../../wallet/node-session.js';
import { Prompt } from '../../wallet/prompt/prompt.js';
import { claimRegistrations } from '../../wallet/registrations.js';
import { RpcLog } from '../../wallet/rpc-log.js';
import type { Run } from '../../wallet/server.js';
import { Wallet } from '../../wallet/wallet.js';
import { EXIT, type Terminal } from '../terminal.js';
import { WALLET_COMMAND_ERRORS } from './errors.js';
import type { WalletOptions } from './options.js';
import { chainRules } from './rules.js';
import { runScript, standardInput, wholeLines } from './script.js';
import { startServers } from './servers.js';

/** A wallet from its start to its end: its node, its servers, and whoever gives it commands. */

const CLAIM_MS = 3000;
/** Somebody who leaves an unlocked prompt alone for so long has gone. */
const PROMPT_LOCK_SEC = 900;

/** Messages go to the other output; while somebody types, around what is typed. */
interface Messages {
  write(text: string): void;
}

function loggerTo(messages: Messages): Logger {
  const line =
    (level: string) =>
    (text: string, values: object = {}): void => {
      const shown = Object.keys(values).length === 0 ? '' : ` ${JSON.stringify(values)}`;
      messages.write(`${level}: ${text}${shown}\n`);
    };
  const logger: Logger = {
    debug: () => undefined,
    info: () => undefined,
    warn: line('warning'),
    error: line('error'),
    child: () => logger,
  };
  return logger;
}

const isPrompt = ({ daemon, exec }: WalletOptions): boolean =>
  exec.length === 0 && !daemon && process.stdin.isTTY === true;

/** The wallet file of the options on the node of the options, both on the same chain. */
async function openWallet(options: WalletOptions, log: Logger): Promise<{ wallet: Wallet; session: NodeSession }> {
  const file = resolve(options['wallet-file']);
  const text = walletFileText(file);
  const stored = text === undefined ? undefined : parseWalletFile(text, file, networkOfText(text));
  const wanted = options['chain-id'];
  const isOfChain = wanted === undefined || stored === undefined || stored.chain_id === wanted;
  check(isOfChain, WALLET_COMMAND_ERRORS.wallet_other_chain, { actual: stored?.chain_id, expected: wanted });
  const url = options['server-rpc-endpoint'];
  const user = options['server-rpc-user'] ?? stored?.ws_user ?? '';
  const password = options['server-rpc-password'] ?? stored?.ws_password ?? '';
  const session = new NodeSession({ url: url ?? (stored?.ws_server || 'ws://localhost:8090'), user, password }, log);
  try {
    const actual = await session.chainId();
    const expected = stored?.chain_id ?? wanted ?? actual;
    check(actual === expected, NODE_ERRORS.node_chain, { actual, expected });
    session.expectChain(expected);
    const world = {
      program: `trustnode ${VERSION}`,
      network: await session.network(),
      node: session,
      clock: systemClock,
      random: systemRandom,
      log,
      rules: chainRules,
    };
    const wallet = await Wallet.open(world, file, expected);
    // The next start finds the node without being told again, as in the family.
    if (url !== undefined) wallet.update({ ws_server: url, ws_user: user, ws_password: password });
    return { wallet, session };
  } catch (error) {
    await session.close();
    throw error;
  }
}

export async function runWallet(options: WalletOptions, terminal: Terminal): Promise<void> {
  const messages: Messages = { write: (text) => terminal.err(text) };
  const log = loggerTo(messages);
  const { wallet, session } = await openWallet(options, log);
  const closers: (() => Promise<void> | void)[] = [() => session.close()];
  try {
    const idle = new IdleLock(wallet, options['lock-after'] ?? (isPrompt(options) ? PROMPT_LOCK_SEC : 0));
    closers.push(() => idle.stop());
    const rpcLog = options['enable-rpc-log'] ? startRpcLog(options, messages, log) : undefined;
    const run: Run = (method, params) => {
      idle.touch();
      const work = async () => (await runCommand(wallet, method, params)).result;
      return rpcLog === undefined ? work() : rpcLog.around(method, params, work);
    };
    const claiming = setInterval(() => {
      claimRegistrations(wallet).catch((error: unknown) => log.warn('a registration waits', { why: String(error) }));
    }, CLAIM_MS);
    closers.push(() => clearInterval(claiming));
    for (const server of await startServers(options, run, log)) closers.push(() => server.close());
    if (await talk(options, wallet, terminal, idle, messages)) terminal.exitCode = EXIT.refused;
    // Everything that was done is there already; this is what the start itself changed.
    if (wallet.hasUnsaved) wallet.save();
  } finally {
    for (const close of closers.reverse()) await close();
  }
}

function startRpcLog(options: WalletOptions, messages: Messages, log: Logger): RpcLog {
  const file = join(resolve(options['data-dir']), 'logs', 'rpc', 'rpc.log');
  messages.write(`Logging RPC to file: ${file}\n`);
  return new RpcLog(file, COMMANDS, { clock: systemClock, log });
}

/** True when something was refused that nobody sits in front of. */
async function talk(
  options: WalletOptions,
  wallet: Wallet,
  terminal: Terminal,
  idle: IdleLock,
  messages: Messages,
): Promise<boolean> {
  const touch = (): void => idle.touch();
  const { exec, wait } = options;
  if (exec.length > 0) return runScript(exec, wallet, terminal, wait, touch);
  if (options.daemon) {
    const ended = new Promise<void>((done) => {
      process.once('SIGINT', done);
      process.once('SIGTERM', done);
    });
    // Whoever has read it may end it.
    terminal.err('Entering Daemon Mode, ^C to exit\n');
    await ended;
    return false;
  }
  if (!isPrompt(options)) return runScript(wholeLines(standardInput()), wallet, terminal, wait, touch);
  const isColoured = process.stdout.isTTY === true && (process.env.NO_COLOR ?? '') === '';
  const streams = { input: process.stdin, output: process.stdout };
  const prompt = new Prompt(wallet, streams, { yes: options.yes, wait, isColoured, touch });
  messages.write = (text) => prompt.print(text);
  idle.onLock = () => prompt.refresh();
  try {
    await prompt.run();
  } finally {
    messages.write = (text) => terminal.err(text);
    prompt.close();
  }
  return false;
}
