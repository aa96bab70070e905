import { resolve } from 'node:path';
import { check } from '../../base/errors.js';
import { PrivateKey } from '../../crypto/private-key.js';
import { systemClock } from '../../node/runtime/clock.js';
import { LogOutput } from '../../node/runtime/log-output.js';
import { createLogger, isColoured } from '../../node/runtime/logger.js';
import { projectFile, VERSION } from '../../node/runtime/project.js';
import { systemRandom } from '../../node/runtime/random.js';
import { onSignals } from '../../node/runtime/signals.js';
import type { AccountOptions, FrameOptions } from '../../services/common/options.js';
import type { RunningService, ServiceWorld } from '../../services/common/service.js';
import { nodeFiles } from '../../storage/files.js';
import { SERVICE_COMMAND_ERRORS } from './options.js';

/** A service as a process: its log, its key, signals, and an orderly end. */

const EXIT_DONE = 0;
const EXIT_FAILED = 1;

/** The key of the account: a file, or the environment; never the command line, which everybody on the machine can read. */
export function readKey(
  { 'key-file': path }: Pick<AccountOptions, 'key-file'>,
  variable: string,
): PrivateKey | undefined {
  const file = path === undefined ? undefined : resolve(path);
  const text = file === undefined ? process.env[variable] : nodeFiles.readText(file);
  check(file === undefined || text !== undefined, SERVICE_COMMAND_ERRORS.service_config, { file });
  return text === undefined || text.trim() === '' ? undefined : PrivateKey.fromWif(text.trim());
}

/** Runs it until a signal. */
export async function runService(
  { 'log-level': level, 'log-format': format }: FrameOptions,
  start: (world: ServiceWorld) => Promise<RunningService>,
): Promise<void> {
  const output = new LogOutput(undefined);
  const colour = isColoured(process.stderr);
  const log = createLogger({ level, modules: new Map(), format, colour }, output);
  // Whoever reads the log may leave; the service goes on.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  process.on('uncaughtException', (error) => {
    log.error('the service stops because of an error of its own; please report it', { error });
    process.exit(EXIT_FAILED);
  });
  let stop = (): void => undefined;
  const stopping = new Promise<void>((done) => {
    stop = done;
  });
  const removeSignals = onSignals(process, log, systemClock, { stop, exitNow: (code) => process.exit(code) });
  try {
    const world = {
      clock: systemClock,
      random: systemRandom,
      log,
      version: VERSION,
      pageFolder: projectFile('src', 'services', 'page'),
    };
    const service = await start(world);
    await stopping;
    await service.close();
    log.info('the service has stopped', {});
  } finally {
    removeSignals();
  }
  // Whatever a library has left behind must not keep a stopped service alive.
  process.exit(EXIT_DONE);
}
