import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import type { CrashPoint } from '../../src/base/crash-point.js';
import { WORLD_TIME } from '../support/world-genesis.js';
import { SIGNED_FILE, TIME_FILE } from './crash-world.js';
import { seededRandom } from './random.js';

/**
 * A witness is killed again and again, and comes back at the very moment of its time at which it died, mostly inside the
 * slot: no slot is ever signed twice. `TRUSTNODE_SLOT_KILLS=300` for more.
 */
const KILLS = Number(process.env.TRUSTNODE_SLOT_KILLS ?? 12);
const WORKER = fileURLToPath(new URL('./slot-worker.js', import.meta.url));
const POINTS: readonly (CrashPoint | '')[] = [
  'slot_claimed',
  'block_log_before_append',
  '',
  'block_made',
  'block_log_half_append',
  '',
];
const KILL_MS_MAX = 60;

interface Ended {
  readonly signal: string | null;
  readonly stderr: string;
}

function live(dataDir: string, startMs: number, point: string, killMs: number): Promise<Ended> {
  const env = { ...process.env, TRUSTNODE_CRASH_POINT: point };
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [WORKER, dataDir, String(startMs)], {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let stderr = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr = (stderr + text).slice(-4000);
    });
    child.stdout.once('data', () => {
      if (point === '') setTimeout(() => child.kill('SIGKILL'), killMs);
    });
    child.on('error', reject);
    child.on('close', (_, signal) => resolve({ signal, stderr }));
  });
}

t.test(`${KILLS} kills inside the slot: no slot is signed twice`, { timeout: 60_000 + 10_000 * KILLS }, async (t) => {
  const dataDir = t.testdir();
  const random = seededRandom(20_201_217);
  let nowMs = 1000 * (WORLD_TIME + 2);
  let signed: string[] = [];
  const grown = new Map<string, number>();
  for (let i = 0; i < KILLS; i++) {
    const name = POINTS[i % POINTS.length] as string;
    const ended = await live(dataDir, nowMs, name === '' ? '' : `${name}:${random(4)}`, random(KILL_MS_MAX));
    t.equal(ended.signal, 'SIGKILL', `${name} ${ended.stderr}`);
    if (existsSync(join(dataDir, TIME_FILE))) nowMs = Number(readFileSync(join(dataDir, TIME_FILE), 'latin1')) || nowMs;
    const before = signed.length;
    signed = readFileSync(join(dataDir, SIGNED_FILE), 'latin1').trim().split('\n');
    grown.set(name, (grown.get(name) ?? 0) + signed.length - before);
  }
  const slots = signed.map((line) => line.split(' ')[0]);
  t.equal(new Set(slots).size, slots.length, 'each slot once');
  t.ok(slots.length > KILLS, `${slots.length} blocks were signed, by what ended a life: ${JSON.stringify([...grown])}`);
});
