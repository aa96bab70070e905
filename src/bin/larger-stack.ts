import { spawn } from 'node:child_process';
import { constants } from 'node:os';

/**
 * Contracts need a larger native stack than Node gives, and only a process's command line can ask for it. The installed
 * program does; somebody who types `node dist/src/bin/trustnode.js` gets the same here, through a process of its own.
 */
const STACK_FLAG = '--stack-size=6500';
/** New objects of a large state are copied less often than with what the engine takes by itself. */
const HEAP_FLAG = '--max-semi-space-size=32';

const FORWARDED = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** True in a process that was asked for a stack size, by this program or by its user. */
export function hasStackFlag(): boolean {
  return process.execArgv.some((flag) => /^--stack[-_]size=/.test(flag));
}

/** Runs the same command line with the flag; settles with its exit code. */
export function runWithLargerStack(): Promise<number> {
  const child = spawn(process.execPath, [STACK_FLAG, HEAP_FLAG, ...process.execArgv, ...process.argv.slice(1)], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    // In a group of its own: a Ctrl-C reaches it once, through us, and not twice.
    detached: true,
  });
  for (const signal of FORWARDED) process.on(signal, () => child.kill(signal));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (code, signal) => resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal])));
  });
}

/** In the process that was started so: it does not outlive the one that started it. */
export function leaveWithParent(): void {
  if (process.channel === undefined || !hasStackFlag()) return;
  process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
  // Waiting for the parent is no reason to stay.
  process.channel.unref();
}
