import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { STACK_SIZE } from '../runner/stack-size.js';

export interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The compiled command beside the compiled tests. */
export const TRUSTNODE = fileURLToPath(new URL('../../src/bin/trustnode.js', import.meta.url));

/** Runs `trustnode` as a user does, in a process of its own, to its end. `more`: variables beside those that are there. */
export function runTrustnode(
  args: readonly string[],
  input = '',
  more: Readonly<Record<string, string>> = {},
): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const env = { ...process.env, ...more };
    const child = spawn(process.execPath, [STACK_SIZE, TRUSTNODE, ...args], { stdio: 'pipe', env });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, stdout, stderr }));
    child.stdin.end(input);
  });
}
