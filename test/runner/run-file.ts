import { spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { STACK_SIZE } from './stack-size.js';
import { type Failure, TapReader, type TapResult } from './tap-result.js';

export interface FileResult extends TapResult {
  readonly name: string;
  readonly seconds: number;
  /** Of all its processes; undefined for a file that was ended. */
  readonly cpuSeconds: number | undefined;
  /** The end of what went to the standard error output. */
  readonly stderr: string;
}

/** A test ends by itself. This is for one that waits for what never comes, however slow the machine is. */
const SILENCE_MS_MAX = 600_000;
/** What it may take to say what it was waiting for. */
const LAST_WORDS_MS = 10_000;
const STDERR_KEPT = 20_000;

/** Where a test file tells what it took, see report-cpu.ts. */
const CPU_DESCRIPTOR = 3;
const REPORT_CPU = 'report-cpu.js';

/** The test library ends tests after half a minute by itself, which a busy machine takes; silence is the better sign. */
const ENVIRONMENT = { TAP_TIMEOUT: '3600', TRUSTNODE_TEST_CPU: String(CPU_DESCRIPTOR) };

export interface RunFileOptions {
  readonly silenceMsMax?: number;
  /** One failure is all that has to be known. */
  readonly endsAtFailure?: boolean;
  readonly environment?: Readonly<Record<string, string>>;
  /** Where this module's neighbours lie that the test's process loads, if not beside it. */
  readonly runner?: URL;
  /**
   * A word in the names of its folders, which go by the file and by what stands behind it on the command line: another run
   * of the same file may be under way.
   */
  readonly beside?: string | undefined;
  /** Aborted when the whole run is given up. */
  readonly signal?: AbortSignal;
}

/** One test file in a process of its own, and nothing that it started is left when it ends. */
export function runFile(name: string, path: string, options: RunFileOptions = {}): Promise<FileResult> {
  const { silenceMsMax = SILENCE_MS_MAX, endsAtFailure = false, environment = {}, beside, signal } = options;
  const reportCpu = new URL(REPORT_CPU, options.runner ?? import.meta.url).href;
  const startMs = performance.now();
  const reader = new TapReader();
  const troubles: Failure[] = [];
  let stderr = '';
  let cpu = '';
  return new Promise((resolve) => {
    const isPosix = process.platform !== 'win32';
    // Contracts run in tests too, and need the stack that a node gives them.
    const child = spawn(
      process.execPath,
      [STACK_SIZE, '--import', reportCpu, path, ...(beside === undefined ? [] : [beside])],
      {
        stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
        env: { ...process.env, ...ENVIRONMENT, ...environment },
        // A group of its own, so that what it leaves behind can be found.
        detached: isPosix,
      },
    );
    const end = (how: NodeJS.Signals): void => {
      try {
        if (isPosix && child.pid !== undefined) process.kill(-child.pid, how);
        else child.kill(how);
      } catch {
        // Nobody is left.
      }
    };
    const giveUp = (why: string): void => {
      troubles.push({ name: why, diagnostics: undefined });
      child.kill('SIGTERM');
      killer = setTimeout(() => end('SIGKILL'), LAST_WORDS_MS);
    };
    let killer: NodeJS.Timeout | undefined;
    const silence = setTimeout(() => giveUp(`nothing was heard for ${silenceMsMax / 1000} s`), silenceMsMax);
    const onAbort = (): void => end('SIGKILL');
    signal?.addEventListener('abort', onAbort);
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      silence.refresh();
      reader.write(text);
      if (endsAtFailure && reader.hasFailed) end('SIGKILL');
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      silence.refresh();
      stderr = (stderr + text).slice(-STDERR_KEPT);
    });
    (child.stdio[CPU_DESCRIPTOR] as Readable).setEncoding('utf8').on('data', (text: string) => {
      cpu += text;
    });
    child.on('error', (error) => troubles.push({ name: error.message, diagnostics: undefined }));
    // Before `close`, which waits for everybody who holds the pipes.
    child.on('exit', () => end('SIGKILL'));
    child.on('close', (code, killedBy) => {
      clearTimeout(silence);
      clearTimeout(killer);
      signal?.removeEventListener('abort', onAbort);
      const { passed, failures, skips } = reader.end();
      const all = [...troubles, ...failures];
      if (killedBy !== null && troubles.length === 0)
        all.push({ name: `ended by ${killedBy}`, diagnostics: undefined });
      if (code !== 0 && code !== null && all.length === 0) {
        all.push({ name: `exit code ${code}`, diagnostics: undefined });
      }
      if (passed + skips.length === 0 && all.length === 0)
        all.push({ name: 'it tests nothing', diagnostics: undefined });
      const seconds = (performance.now() - startMs) / 1000;
      const cpuSeconds = cpu === '' ? undefined : Number(cpu);
      resolve({ name, seconds, cpuSeconds, stderr, passed, failures: all, skips });
    });
  });
}
