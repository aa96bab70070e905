import { armCrashPoint, isCrashPoint } from '../base/crash-point.js';

/**
 * Tests that kill the process at a named point set this variable: `name` or `name:passes to let through first`. The
 * core never reads the environment; without the variable nothing is armed.
 */
const wanted = process.env.TRUSTNODE_CRASH_POINT;

if (wanted !== undefined && wanted !== '') {
  const [name = '', skip = '0'] = wanted.split(':');
  if (!isCrashPoint(name)) throw new Error(`TRUSTNODE_CRASH_POINT: there is no crash point ${name}`);
  armCrashPoint(name, Number(skip), () => process.kill(process.pid, 'SIGKILL'));
}
