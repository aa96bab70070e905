import { existsSync } from 'node:fs';
import { ChainError, fill } from '../base/errors.js';
import { addOptions, givenOptions } from '../config/command-line.js';
import type { GivenOptions } from '../config/load.js';
import { truncateChain } from '../node/chain/truncate-chain.js';
import { checkLogFolder, loadSettings } from '../node/load-settings.js';
import { startNode } from '../node/node.js';
import { systemClock } from '../node/runtime/clock.js';
import { heedHangUps } from '../node/runtime/hang-up.js';
import { LogOutput } from '../node/runtime/log-output.js';
import { createLogger, isColoured } from '../node/runtime/logger.js';
import { isNpmStart, onParentGone } from '../node/runtime/parent.js';
import { VERSION } from '../node/runtime/project.js';
import { systemRandom } from '../node/runtime/random.js';
import { onSignals } from '../node/runtime/signals.js';
import { holdYoungSpace, letObjectsDieYoung, releaseYoungSpace } from '../node/runtime/young-space.js';
import { looseKeyFiles } from '../node/settings/key-files.js';
import { absolute, type Settings } from '../node/settings/options.js';
import { optionSections, optionTable } from '../node/settings/sections.js';
import type { AnyPart } from '../plugin/part.js';
import type { Command } from './command.js';
import { devBanner, writeDevAccounts } from './dev-banner.js';
import { createOrCompleteGenesis } from './genesis/complete.js';
import { partsNamedIn } from './start-options.js';
import { EXIT } from './terminal.js';

const EXIT_FAILED = 1;

function openLog(settings: Settings): LogOutput {
  checkLogFolder(settings);
  const file = settings.options['log-file'];
  return new LogOutput(file === undefined ? undefined : absolute(file));
}

/** Options that do one thing and end. */
async function runOnce(given: GivenOptions): Promise<string | undefined> {
  const path = given.get('create-genesis-json')?.at(-1);
  return path === undefined || path === '' ? undefined : createOrCompleteGenesis(absolute(path));
}

async function run(settings: Settings, parts: readonly AnyPart[]): Promise<void> {
  const { options } = settings;
  if (options.truncate !== undefined) {
    process.stdout.write(`${await truncateChain(settings, options.truncate)}\n`);
    return;
  }
  const output = openLog(settings);
  const log = createLogger(
    {
      level: options['log-level'],
      modules: new Map(options['log-level-module']),
      format: options['log-format'],
      colour: isColoured(process.stderr),
    },
    output,
  );
  const nodeLog = log.child('node');
  // Without a log file a hang-up means what it always means: the terminal is gone.
  heedHangUps(options['log-file'] === undefined ? undefined : () => output.reopen());
  // Whoever reads the log may leave; the node goes on.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  // Nobody catches a bug of ours. What is stored is consistent at every instant, so leaving at once is safe.
  process.on('uncaughtException', (error) => {
    nodeLog.error('the node stops because of an error of its own; please report it', { error });
    process.exit(EXIT_FAILED);
  });
  nodeLog.info('trustnode', { version: VERSION, node: process.version, pid: process.pid });
  if (settings.isFirstStart) nodeLog.info('wrote a new config file', { path: settings.configPath });
  for (const path of looseKeyFiles(settings)) {
    nodeLog.warn('others on this machine may read a file with keys or passwords; chmod 600 keeps it to yourself', {
      path,
    });
  }
  if (settings.foreignSections.length > 0) {
    const sections = settings.foreignSections.join(' ');
    nodeLog.warn('config.ini has log sections of another program; use log-level here', { sections });
  }
  for (const { name, commandLineOnly, nearest } of settings.unknownOptions) {
    const what = commandLineOnly
      ? 'config.ini has an option that only the command line takes; it is passed over'
      : 'config.ini has an option that this node does not know; it is passed over';
    nodeLog.warn(what, { option: name, ...(nearest === undefined ? {} : { nearest }) });
  }

  const stop = new AbortController();
  const stopping = new Promise<void>((resolve) => stop.signal.addEventListener('abort', () => resolve()));
  // Before the start: a replay may take long, and stopping it is a wish like any other.
  const removeSignals = onSignals(process, nodeLog, systemClock, {
    stop: () => stop.abort(),
    exitNow: (code) => process.exit(code),
  });
  if (isNpmStart()) {
    onParentGone(() => {
      if (stop.signal.aborted) return;
      nodeLog.info('npm has gone, shutting down in order', {});
      stop.abort();
    });
  }
  // Until there is a state to be loaded: what a genesis makes lasts, too.
  holdYoungSpace();
  const node = await startNode(settings, { clock: systemClock, random: systemRandom, log }, stop.signal, parts);
  let isClean = true;
  if (node !== undefined) {
    releaseYoungSpace();
    letObjectsDieYoung();
    if (settings.isDev) {
      writeDevAccounts(settings, node);
      process.stdout.write(devBanner(settings, node));
    }
    const failure = await Promise.race([stopping, node.failed]);
    if (failure !== undefined) nodeLog.error('the node cannot go on and stops', { error: failure });
    isClean = (await node.stop()) && failure === undefined;
  }
  removeSignals();
  nodeLog.info('the node has stopped', {});
  output.close();
  // Whatever a library has left behind must not keep a stopped node alive.
  process.exit(isClean ? 0 : EXIT_FAILED);
}

/**
 * The last line of a start that fails is a line of the log like any other where somebody reads the log by machine or from a
 * file. False where the command line's own words are as good.
 */
function logFailure(error: ChainError, format: unknown, file: string | undefined): boolean {
  if (format !== 'json' && file === undefined) return false;
  const output = openLogOr(file);
  const log = createLogger(
    {
      level: 'error',
      modules: new Map(),
      format: format === 'json' ? 'json' : 'text',
      colour: isColoured(process.stderr),
    },
    output,
  );
  const { key, code, row, message, hint, context } = error;
  const during = context.map(({ text, data }) => fill(text, data ?? {})).filter((text) => text !== '');
  const where = during.length === 0 ? {} : { during: during.join('; ') };
  const help = hint === undefined ? {} : { hint };
  log.child('node').error('the node cannot start', { key, code, name: row.name, reason: message, ...help, ...where });
  output.close();
  return true;
}

/** The log file itself may be what is wrong. */
function openLogOr(file: string | undefined): LogOutput {
  try {
    return new LogOutput(file);
  } catch {
    return new LogOutput(undefined);
  }
}

/** With the options of all plugins that are installed. */
export async function loadStartCommand(): Promise<Command> {
  const parts = await partsNamedIn(process.argv.slice(2));
  const sections = optionSections(parts);
  return {
    builder: (yargs) =>
      addOptions(yargs, sections).epilogue(
        'Every option but those of the first line of a data directory may also stand in its config.ini as name = value; the command line wins.',
      ),
    handler: async (args, terminal) => {
      let settings: Settings | undefined;
      try {
        const given = givenOptions(args, optionTable(parts));
        const done = await runOnce(given);
        if (done !== undefined) {
          terminal.out(`${done}\n`);
          return;
        }
        settings = loadSettings(given, parts);
        await run(settings, parts);
      } catch (error) {
        const named = settings?.options['log-file'];
        const file = named === undefined ? undefined : absolute(named);
        // What was wrong may be put right by another start, which should meet the folder as this one did.
        settings?.before.undo(file === undefined ? [] : [file]);
        const format = settings?.options['log-format'] ?? args['log-format'];
        // The log has said that it was written.
        if (settings?.isFirstStart === true && format !== 'json' && !existsSync(settings.configPath))
          terminal.err(`removed again, as the start has failed: ${settings.configPath}\n`);
        if (!(error instanceof ChainError) || !logFailure(error, format, file)) throw error;
        terminal.exitCode = EXIT.refused;
      }
    },
  };
}
