import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import { check, defineErrors, FAMILY } from '../../base/errors.js';
import type { Logger } from '../../base/world.js';
import { addOptions, givenOptions } from '../../config/command-line.js';
import { resolveOptions } from '../../config/load.js';
import { suggestBrainKey } from '../../crypto/brain-key.js';
import { DEFAULT_KEY_PREFIX } from '../../crypto/public-key.js';
import { systemClock } from '../../node/runtime/clock.js';
import { VERSION } from '../../node/runtime/project.js';
import { systemRandom } from '../../node/runtime/random.js';
import { publicKey } from '../../protocol/keys.js';
import { COMMANDS, runCommand } from '../../wallet/commands/index.js';
import { NODE_ERRORS, WALLET_FILE_ERRORS } from '../../wallet/errors.js';
import { saveFile } from '../../wallet/file/save.js';
import { formatWalletFile, readWalletFile, summarize } from '../../wallet/file/wallet-file.js';
import { brainKeyInfo } from '../../wallet/keys/derived.js';
import { Keyring, openKeys, passwordHash } from '../../wallet/keys/keyring.js';
import { NodeSession } from '../../wallet/node-session.js';
import { WALLET_OPTIONS } from '../../wallet/options.js';
import { runLine } from '../../wallet/prompt-line.js';
import { claimRegistrations } from '../../wallet/registrations.js';
import { type Run, type ServerRules, serveWallet } from '../../wallet/server.js';
import { prettyJson } from '../../wallet/text/pretty-json.js';
import { Wallet } from '../../wallet/wallet.js';
import type { Command } from '../command.js';
import { EXIT, type Terminal } from '../terminal.js';
import { chainRules } from './rules.js';

export const WALLET_COMMAND_ERRORS = defineErrors({
  wallet_other_chain: {
    ...FAMILY.invalidArgument,
    text: 'Chain ID in wallet file does not match specified chain ID',
    hint: 'the wallet file belongs to chain ${actual}',
  },
  wallet_tls_missing: { kind: 'environment', ...FAMILY.invalidArgument, text: 'cannot read the certificate ${file}' },
});

type Options = ReturnType<typeof readOptions>;
const readOptions = (args: Readonly<Record<string, unknown>>) =>
  resolveOptions(WALLET_OPTIONS, givenOptions(args, WALLET_OPTIONS), new Map());

const NETWORK = { keyPrefix: DEFAULT_KEY_PREFIX };
const CLAIM_MS = 3000;

function loggerTo(terminal: Terminal): Logger {
  const line =
    (level: string) =>
    (text: string, values: object = {}): void => {
      const shown = Object.keys(values).length === 0 ? '' : ` ${JSON.stringify(values)}`;
      terminal.err(`${level}: ${text}${shown}\n`);
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

export const walletCommand: Command = {
  builder: (yargs) =>
    addOptions(yargs, [['Wallet', WALLET_OPTIONS]]).positional('action', {
      choices: ['change-password', 'check'],
      describe: 'Work on the wallet file alone: another password, or what it holds',
    }),
  handler: async (args, terminal) => {
    const options = readOptions(args);
    if (options['suggest-brain-key']) return suggest(terminal);
    if (args.action === 'check') return checkFile(options, terminal);
    if (args.action === 'change-password') return changePassword(options, terminal);
    await runWallet(options, terminal);
  },
};

function suggest(terminal: Terminal): void {
  const { brain_priv_key, wif_priv_key, pub_key } = brainKeyInfo(suggestBrainKey((count) => systemRandom.bytes(count)));
  const shown = { brain_priv_key, wif_priv_key, pub_key: publicKey.toJson(pub_key, NETWORK) };
  terminal.out(`${prettyJson(shown)}\n`);
}

function existing(options: Options) {
  const file = resolve(options['wallet-file']);
  const data = readWalletFile(file, NETWORK);
  check(data !== undefined, WALLET_FILE_ERRORS.wallet_file_missing, { file });
  return { file, data };
}

/** A line of the standard input; at a terminal it is asked for and not shown. */
async function askSecret(terminal: Terminal, question: string, lines: string[]): Promise<string> {
  if (process.stdin.isTTY !== true) return lines.shift() ?? '';
  terminal.err(question);
  const input = createInterface({ input: process.stdin, output: process.stderr, terminal: true });
  mute(input);
  const answer = await new Promise<string>((done) => input.question('', done));
  input.close();
  terminal.err('\n');
  return answer;
}

/** Nothing of what is typed is shown. The method is not in the types of the library, but its documents name it. */
function mute(input: Interface): void {
  (input as unknown as { _writeToOutput(text: string): void })._writeToOutput = () => undefined;
}

const inputLines = (terminal: Terminal): string[] =>
  process.stdin.isTTY === true ? [] : Buffer.from(terminal.input()).toString('utf8').split(/\r?\n/);

/** With the password, if one is given, also how many keys there are. */
async function checkFile(options: Options, terminal: Terminal): Promise<void> {
  const { data } = existing(options);
  const password = await askSecret(terminal, 'Password (none: only look): ', inputLines(terminal));
  const keys = password === '' ? undefined : openKeys(data.cipher_keys, passwordHash(password)).length;
  const { private_keys, ...rest } = summarize(data, keys);
  const shown = { ...rest, accounts: [...rest.accounts], plain_secrets: [...rest.plain_secrets] };
  terminal.out(`${prettyJson(private_keys === undefined ? shown : { ...shown, private_keys })}\n`);
}

async function changePassword(options: Options, terminal: Terminal): Promise<void> {
  const { file, data } = existing(options);
  const lines = inputLines(terminal);
  const ring = new Keyring(NETWORK, data.cipher_keys);
  const old = await askSecret(terminal, 'Password until now: ', lines);
  ring.unlock(old);
  ring.lock();
  ring.changePassword(old, await askSecret(terminal, 'New password: ', lines));
  saveFile(file, formatWalletFile({ ...data, cipher_keys: ring.sealed }, NETWORK));
  terminal.err('the password is changed; the backup beside the file still has the old one\n');
}

async function runWallet(options: Options, terminal: Terminal): Promise<void> {
  const file = resolve(options['wallet-file']);
  const stored = readWalletFile(file, NETWORK);
  const log = loggerTo(terminal);
  const session = new NodeSession(
    {
      url: options['server-rpc-endpoint'] ?? (stored?.ws_server || 'ws://localhost:8090'),
      user: options['server-rpc-user'] ?? stored?.ws_user ?? '',
      password: options['server-rpc-password'] ?? stored?.ws_password ?? '',
    },
    log,
  );
  const closers: (() => Promise<void> | void)[] = [() => session.close()];
  try {
    const wanted = options['chain-id'];
    check(
      wanted === undefined || stored === undefined || stored.chain_id === wanted,
      WALLET_COMMAND_ERRORS.wallet_other_chain,
      {
        actual: stored?.chain_id,
      },
    );
    const actual = await session.chainId();
    const expected = stored?.chain_id ?? wanted ?? actual;
    check(actual === expected, NODE_ERRORS.node_chain, { actual, expected });
    const network = await session.network();
    const world = {
      program: `trustnode ${VERSION}`,
      network,
      node: session,
      clock: systemClock,
      random: systemRandom,
      log,
      rules: chainRules,
    };
    const wallet = await Wallet.open(world, file, expected);
    if (options['server-rpc-endpoint'] !== undefined) wallet.update({ ws_server: options['server-rpc-endpoint'] });

    let idle: NodeJS.Timeout | undefined;
    const touch = (): void => {
      clearTimeout(idle);
      const after = options['lock-after'];
      if (after > 0) idle = setTimeout(() => !wallet.ring.isLocked && wallet.ring.lock(), after * 1000);
    };
    closers.push(() => clearTimeout(idle));
    const run: Run = async (method, params) => {
      touch();
      return (await runCommand(wallet, method, params)).result;
    };
    const claiming = setInterval(() => {
      claimRegistrations(wallet).catch((error: unknown) => log.warn('a registration waits', { why: String(error) }));
    }, CLAIM_MS);
    closers.push(() => clearInterval(claiming));

    for (const server of await startServers(options, run, log)) closers.push(() => server.close());
    const failed = await talk(options, wallet, terminal, touch);
    if (failed) terminal.exitCode = EXIT.refused;
  } finally {
    for (const close of closers.reverse()) await close();
  }
}

async function startServers(options: Options, run: Run, log: Logger) {
  const rules: ServerRules = {
    allow: options.allow.length === 0 ? undefined : new Set(options.allow),
    user: options['http-user'],
    password: options['http-password'],
    origins: options.origin,
    hostNames: options['host-name'],
  };
  const world = { clock: systemClock, log };
  const running = [];
  const plain = options['rpc-endpoint'];
  if (plain !== undefined)
    running.push(await serveWallet({ ...plain, tls: undefined, form: 'rpc' }, rules, run, world));
  const tls = options['rpc-tls-endpoint'];
  if (tls !== undefined) {
    const pem = readPem(options['rpc-tls-certificate']);
    running.push(await serveWallet({ ...tls, tls: { pem, password: '' }, form: 'rpc' }, rules, run, world));
  }
  const http = options['rpc-http-endpoint'];
  if (http !== undefined) running.push(await serveWallet({ ...http, tls: undefined, form: 'http' }, rules, run, world));
  return running;
}

function readPem(file: string): string {
  try {
    readFileSync(file);
    return file;
  } catch {
    check(false, WALLET_COMMAND_ERRORS.wallet_tls_missing, { file });
    return file;
  }
}

/** True when something was refused that nobody sits in front of. */
async function talk(options: Options, wallet: Wallet, terminal: Terminal, touch: () => void): Promise<boolean> {
  if (options.exec.length > 0) return runAll(options.exec, wallet, terminal);
  if (options.daemon) {
    terminal.err('Entering Daemon Mode, ^C to exit\n');
    await new Promise<void>((done) => {
      process.once('SIGINT', done);
      process.once('SIGTERM', done);
    });
    return false;
  }
  if (process.stdin.isTTY !== true) return runAll(inputLines(terminal), wallet, terminal);
  await prompt(wallet, terminal, touch);
  return false;
}

async function runAll(lines: readonly string[], wallet: Wallet, terminal: Terminal): Promise<boolean> {
  let failed = false;
  for (const line of lines) {
    const { output, isRefused } = await runLine(wallet, line);
    terminal.out(output);
    failed ||= isRefused;
  }
  return failed;
}

const stateOf = ({ ring }: Wallet): string => (ring.isNew ? 'new' : ring.isLocked ? 'locked' : 'unlocked');

function prompt(wallet: Wallet, terminal: Terminal, touch: () => void): Promise<void> {
  if (wallet.ring.isNew) {
    terminal.out('Please use the set_password method to initialize a new wallet before continuing\n');
  }
  const names = Object.keys(COMMANDS).sort();
  const input = createInterface({
    input: process.stdin,
    output: process.stdout,
    completer: (line: string) => [names.filter((name) => name.startsWith(line)), line],
  });
  const ask = (): void => {
    input.setPrompt(`${stateOf(wallet)} >>> `);
    input.prompt();
  };
  return new Promise((done) => {
    input.on('line', (line) => {
      const definition = COMMANDS[line.trim().split(/\s+/)[0] ?? ''];
      // What holds a key or a password is not offered again.
      if (definition?.secret !== undefined) forgetLast(input);
      touch();
      input.pause();
      void runLine(wallet, line).then(({ output }) => {
        terminal.out(output);
        input.resume();
        ask();
      });
    });
    input.on('close', () => done());
    ask();
  });
}

function forgetLast(input: Interface): void {
  (input as unknown as { history?: string[] }).history?.shift();
}
